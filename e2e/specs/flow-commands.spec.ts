import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Scenario, turnOf } from '../model-server/scenario.ts'
import { examine, seriousIn } from '../support/axe.ts'
import { expect, test } from '../support/window.ts'

const scenario: Scenario = (request) =>
  turnOf(request) === 0
    ? {
        calls: [
          { name: 'write_file', id: 'w', input: { file_path: '/notes.md', content: 'Euros.\n' } },
          { name: 'delete', id: 'd', input: { path: '/README.md' } },
        ],
      }
    : { text: 'Both are done.' }

const files = {
  '.claude/commands/notes.md': `---
description: Write notes on a topic
argument-hint: [topic] [tone]
allowed-tools: Write
---
Write notes on $1 in a $2 tone. Begin with @package.json`,
  '.claude/commands/web/page.md': 'Make a page',
  '.claude/commands/broken.md': '---\nallowed-tools: 5\n---\nx',
  '.claude/commands/help.md': 'Mine',
  '.agents/skills/nutshell/SKILL.md':
    '---\nname: nutshell\ndescription: How to say it in a sentence.\n---\nOne sentence.',
}

test('C. A command of a file is chosen after a slash, previewed with its source, and asks for all that it does not name', async ({
  open,
  project,
  model,
}) => {
  project.mayChange()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project.folder, name)), { recursive: true })
    writeFileSync(join(project.folder, name), text)
  }
  const { page } = await open({ scenario })
  const message = page.getByRole('textbox', { name: 'Message' })
  const list = page.getByRole('listbox', { name: 'Suggestions' })

  await test.step('C. Nothing of the folder is listed before it is trusted', async () => {
    await message.pressSequentially('/n')
    await expect(list.getByRole('option', { name: /\/new/ })).toBeVisible()
    await expect(list.getByRole('group', { name: 'From files' })).toHaveCount(0)
    await message.fill('')
    await page.getByRole('button', { name: 'Trust', exact: true }).click()
  })

  await test.step('C. The list shows word, hint, description and source; a key takes it', async () => {
    await message.pressSequentially('/n')
    const own = list.getByRole('group', { name: 'From files' }).getByRole('option')
    await expect(own).toHaveText([/\/notes.*\[topic\] \[tone\].*Write notes on a topic.*\.claude\/commands\/notes\.md/])
    await expect(list.getByRole('group', { name: 'Skills' })).toContainText('How to say it in a sentence.')
    expect(seriousIn(await examine(page))).toEqual([])
    await message.pressSequentially('otes')
    await message.press('Enter')
    await expect(message).toHaveValue('/notes ')
    await message.pressSequentially('euros "very dry"')
  })

  await test.step('C. The preview shows what the agent will read', async () => {
    await expect(page.getByText('/.claude/commands/notes.md · changes ask, except for write_file')).toBeVisible()
    await page.getByRole('button', { name: 'Preview' }).click()
    const dialog = page.getByRole('dialog', { name: 'What /notes tells the agent' })
    await expect(dialog).toContainText('Write notes on euros in a very dry tone.')
    await expect(dialog).toContainText('@package.json:')
    await page.keyboard.press('Escape')
  })

  await test.step('C. The request has it, and only what it does not name asks', async () => {
    await message.press('Enter')
    const card = page.getByRole('group', { name: 'Approval: delete by main' })
    await expect(card).toContainText('the command /notes is only about write_file')
    await expect(page.getByRole('group', { name: /^Approval:/ })).toHaveCount(1)
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('> Write notes on euros in a very dry tone.')
    await expect(card).toContainText('look at what it did')
    await card.getByRole('button', { name: 'Keep' }).click()
    await expect(page.getByText('Both are done.')).toBeVisible()
    await expect(page.getByText('Command /notes')).toBeVisible()
  })

  await test.step('K. The settings list them, and the files that are not used', async () => {
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Skills' }).click()
    const section = page.getByRole('region', { name: 'Commands' })
    await expect(section).toContainText('/web:page')
    await expect(section).toContainText('/.claude/commands/help.md – /help is a command of Coppice itself.')
    await expect(section).toContainText('/.claude/commands/broken.md – allowed-tools: It needs names of tools')
    expect(seriousIn(await examine(page))).toEqual([])
  })
})
