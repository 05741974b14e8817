import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { McpServerView } from '#shared/contract/views/extensions.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { McpServerCard } from './mcp-server-card.tsx'

const tool = (name: string, deniedBy: string | null = null) => ({
  name,
  description: `What ${name} does.`,
  tokens: 1_000,
  change: null,
  deniedBy,
})
const server: McpServerView = {
  name: 'git',
  source: 'user',
  hash: 'h',
  transport: { kind: 'stdio', command: 'git-server', args: [], env: {} },
  trusted: true,
  state: { kind: 'ready' },
  login: { address: null, account: null },
  tools: [tool('log'), tool('push', 'mcp__git__push')],
  leftOut: ['The tool "query" is left out: its arguments are no object.'],
  errorOutput: '',
}

async function show(given: McpServerView): Promise<void> {
  const card = (
    <McpServerCard
      server={given}
      projectId={'p' as ProjectId}
      busy={false}
      own={null}
      onTrust={() => undefined}
      onChanged={() => undefined}
    />
  )
  await renderInWindow(<ul>{card}</ul>, {})
}

it('counts the tools that agents get, and says which rule denies the others and what is left out', async () => {
  await show(server)
  await userEvent.click(page.getByText(/^1 tool, about /))
  await expect.element(page.getByText('1 denied by your rules: no agent gets it')).toBeVisible()
  await expect.element(page.getByText('denied by the rule mcp__git__push')).toBeVisible()
  const leftOut = page.getByRole('list', { name: 'Left out' }).getByRole('listitem')
  await expect.element(leftOut).toHaveTextContent('The tool "query" is left out: its arguments are no object.')
})

it('says why a server did not start', async () => {
  await show({ ...server, tools: [], leftOut: [], state: { kind: 'failed', reason: 'git-server was not found.' } })
  await expect.element(page.getByText('Failed')).toBeVisible()
  await expect.element(page.getByText('git-server was not found.')).toBeVisible()
})
