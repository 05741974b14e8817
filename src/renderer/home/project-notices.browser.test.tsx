import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { TrustCard } from './project-notices.tsx'

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
