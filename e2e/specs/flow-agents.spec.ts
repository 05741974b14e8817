import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { examine, seriousIn } from '../support/axe.ts'
import { expect, test } from '../support/window.ts'

test('K. Agents and skills that a trusted folder defines are listed with their sources and problems', async ({
  open,
  project,
}) => {
  project.mayChange()
  for (const folder of ['.claude/agents', '.agents/skills/release'])
    mkdirSync(join(project.folder, folder), { recursive: true })
  writeFileSync(
    join(project.folder, '.claude/agents/reviewer.md'),
    '---\nname: reviewer\ndescription: Reviews changes.\ntools: Read, Grep\ncolor: red\n---\nBe strict.',
  )
  writeFileSync(join(project.folder, '.claude/agents/broken.md'), '---\nname: [\n---\n')
  writeFileSync(
    join(project.folder, '.agents/skills/release/SKILL.md'),
    '---\nname: release\ndescription: How to release.\n---\nTag it.',
  )
  const { page } = await open()
  await page.getByRole('button', { name: 'Trust', exact: true }).click()
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Agents', exact: true }).click()
  const agents = page.getByRole('region', { name: 'Types of subagents' })
  await expect(agents).toContainText('Reviews changes.')
  await expect(agents).toContainText('/.claude/agents/reviewer.md · tools read_file, grep · not known here: color')
  await expect(agents).toContainText('/.claude/agents/broken.md:2')
  await page.getByRole('button', { name: 'Skills' }).click()
  await expect(page.getByRole('region', { name: 'Skills' })).toContainText('How to release.')
  const found = await examine(page)
  expect(seriousIn(found)).toEqual([])
})
