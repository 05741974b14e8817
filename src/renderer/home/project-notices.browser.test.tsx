import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { TrustCard, WithinCard } from './project-notices.tsx'

it('names all that a folder would load in the line beside Trust, also in a narrow window', async () => {
  await page.viewport(400, 600)
  const { session } = await renderInWindow(<TrustCard />)
  const wouldLoad = ['AGENTS.md', '.claude/skills', '.coppice/agents', '.claude/agents', '.mcp.json']
  const { projectInfo } = session.store.getState()
  if (projectInfo) session.setProjectInfo({ ...projectInfo, trusted: false, wouldLoad })
  const line = page.getByText('It would load AGENTS.md, skills, agents, MCP servers.')
  await expect.element(line).toBeVisible()
  const box = line.element()
  expect(box.scrollWidth).toBeLessThanOrEqual(box.clientWidth)
})

it('says that a folder is a part of a repository, until a person wants the folder alone', async () => {
  localStorage.clear()
  const { session } = await renderInWindow(<WithinCard />)
  const { projectInfo } = session.store.getState()
  if (projectInfo) session.setProjectInfo({ ...projectInfo, within: { top: '/top', folder: '/a' as VirtualPath } })
  await expect.element(page.getByText('This folder is a part of the repository /top')).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Open the repository' })).toBeVisible()
  await page.getByRole('button', { name: 'Only this folder' }).click()
  await expect.element(page.getByText('This folder is a part')).not.toBeInTheDocument()
})
