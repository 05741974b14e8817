import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import type { Call, Scenario } from '../../e2e/model-server/scenario.ts'
import { environment } from '../../e2e/support/coppice.ts'
import { world } from './editor.testkit.ts'

const root = join(import.meta.dirname, '../..')
const claude = join(root, 'bench/agents/node_modules/@anthropic-ai/claude-agent-sdk-linux-x64/claude')
const program = join(root, 'src/main/cli/index.ts')
if (!existsSync(claude)) console.warn('SKIPPED: Claude Code as a client. npm ci --prefix bench/agents installs it.')

const tool = (name: string, input: object = {}): Call => ({ name: `mcp__coppice__${name}`, input })

/** Both agents ask the same server: Claude Code calls tools of Coppice, and Coppice's agent writes a file. */
const scenario: Scenario = ({ messages, tools = [] }) => {
  const said = JSON.stringify(messages)
  const turn = messages.filter(({ role }) => role === 'assistant').length
  const isClaude = tools.some(({ name }) => name === 'mcp__coppice__start_task')
  if (!isClaude && said.includes('PART')) {
    const own: Call = { name: 'write_file', input: { file_path: '/a.txt', content: 'by Coppice\n' } }
    return turn === 0 ? { calls: [own] } : { text: 'Written.' }
  }
  if (!isClaude) return { text: 'A title' }
  const threadId = /thread_id\W+([0-9a-f-]{36})/.exec(said)?.[1] ?? ''
  const calls = [tool('start_task', { task: 'PART', wait_seconds: 60 }), tool('get_patch', { thread_id: threadId })]
  const call = calls[turn]
  return call ? { calls: [{ ...call, id: `toolu_${turn}` }] } : { text: 'All of it is there.' }
}

it.skipIf(!existsSync(claude))(
  'Claude Code has Coppice do a task, and reads its patch',
  { timeout: 120_000 },
  async () => {
    const place = await world(scenario)
    const { folder, data, key, server } = place
    const own = environment(key) as Record<string, string>
    const config = join(data, 'claude.json')
    const args = [program, 'mcp', folder, '--data-dir', data]
    writeFileSync(config, JSON.stringify({ mcpServers: { coppice: { command: process.execPath, args, env: own } } }))
    const home = join(data, 'home')
    const ran = promisify(execFile)(
      claude,
      [
        ...['-p', 'Have it done.', '--mcp-config', config, '--strict-mcp-config'],
        ...['--allowedTools', 'mcp__coppice__start_task,mcp__coppice__get_patch'],
      ],
      {
        cwd: folder,
        env: {
          ...own,
          HOME: home,
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_AUTOUPDATER: '1',
          ENABLE_TOOL_SEARCH: 'false',
        },
      },
    )
    ran.child.stdin?.end()
    expect((await ran).stdout).toContain('All of it is there.')
    const results = JSON.stringify(server.requests.at(-1)?.messages)
    expect(results).toContain('diff --git a/a.txt b/a.txt')
    expect(results).toContain('+by Coppice')
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one\n')
  },
)
