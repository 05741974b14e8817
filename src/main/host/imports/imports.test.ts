import { describe, expect, it } from 'vitest'
import { openImportWorld, ref } from './imports.testkit.ts'

const settingsOf = (own: Readonly<Record<string, string>>) => JSON.parse(own['settings.json'] ?? '{}')

/** Mutation: a token in a header or a variable is copied when `isSecretValue` is false. */
describe('servers of other tools', () => {
  it('of Claude Code come from its home file, for all projects and for the open one', async () => {
    await using world = await openImportWorld((folder) => ({
      '.claude.json': {
        numStartups: 7,
        history: Array.from({ length: 200 }, () => 'if (a['),
        mcpServers: {
          docs: {
            type: 'http',
            url: 'https://docs.example/mcp',
            headers: { Authorization: 'Bearer abcdefghijklmnopqrstuvwxyz' },
          },
          old: { type: 'sse', url: 'https://old.example/sse' },
        },
        projects: {
          [folder]: {
            mcpServers: {
              db: {
                type: 'stdio',
                command: 'db-server',
                args: ['--read-only'],
                env: { DB_URL: ref('DB_URL'), DEBUG: '1' },
              },
            },
          },
          '/elsewhere': { mcpServers: { other: { command: 'other' } } },
        },
      },
    }))
    const { items } = await world.find()
    expect(items.filter(({ state }) => state !== 'read_here').map(({ id, state, safe }) => [id, state, safe])).toEqual([
      ['claude/home/server/docs', 'new', true],
      ['claude/home/server/old', 'left_out', false],
      ['claude/home/server/db', 'new', false],
    ])
    await world.take('claude/home/server/docs', 'claude/home/server/db')
    expect(settingsOf(world.own()).mcp_servers).toEqual({
      docs: { url: 'https://docs.example/mcp', headers: { Authorization: `Bearer ${ref('DOCS_AUTHORIZATION')}` } },
      db: { command: 'db-server', args: ['--read-only'], env: { DB_URL: ref('DB_URL'), DEBUG: '1' } },
    })
    expect((await world.item('claude/home/server/docs')).state).toBe('same')
    // As any new server, it starts only once a person trusts it.
    expect((await world.project.mcp.list()).servers.map(({ name, trusted }) => [name, trusted])).toEqual([
      ['docs', false],
      ['db', false],
    ])
  })

  it('of Codex, Cursor and OpenCode get the form that servers have here', async () => {
    await using world = await openImportWorld({
      '.codex/config.toml': [
        '[mcp_servers.files]\ncommand = "npx"\nargs = ["-y", "files-server"]\nenv_vars = ["FILES_ROOT"]\nstartup_timeout_sec = 20',
        '[mcp_servers.files.env]\nLEVEL = "2"',
        '[mcp_servers.remote]\nurl = "https://remote.example/mcp"\nbearer_token_env_var = "REMOTE_TOKEN"\nenabled = false\ndisabled_tools = ["drop"]',
        '[mcp_servers.remote.env_http_headers]\nX-Team = "TEAM"',
      ].join('\n\n'),
      '.cursor/mcp.json': {
        mcpServers: {
          issues: { command: 'issues', env: { ISSUE_TOKEN: ref('env:ISSUE_TOKEN') } },
          here: { command: `${ref('workspaceFolder')}/server` },
        },
      },
      '.config/opencode/opencode.jsonc':
        '{ // servers\n "mcp": { "search": { "type": "local", "command": ["bun", "x", "search"], "environment": { "SEARCH_KEY": "{env:SEARCH_KEY}" } },' +
        ' "crm": { "type": "remote", "url": "https://crm.example/mcp", "headers": { "X-Key": "{file:~/key}" } }, } }',
    })
    const { items, problems } = await world.find()
    expect(problems).toEqual([])
    const value = (id: string) => Object.values(JSON.parse(items.find((one) => one.id === id)?.preview || '{}'))[0]
    expect(value('codex/home/server/files')).toEqual({
      ...{ command: 'npx', args: ['-y', 'files-server'], env: { LEVEL: '2', FILES_ROOT: ref('FILES_ROOT') } },
    })
    expect(value('codex/home/server/remote')).toEqual({
      url: 'https://remote.example/mcp',
      headers: { 'X-Team': ref('TEAM'), Authorization: `Bearer ${ref('REMOTE_TOKEN')}` },
    })
    expect(value('cursor/home/server/issues')).toEqual({ command: 'issues', env: { ISSUE_TOKEN: ref('ISSUE_TOKEN') } })
    expect(value('opencode/home/server/search')).toEqual({
      ...{ command: 'bun', args: ['x', 'search'], env: { SEARCH_KEY: ref('SEARCH_KEY') } },
    })
    const by = (id: string) => items.find((one) => one.id === id)
    expect(by('codex/home/server/remote')?.notes.join(' ')).toMatch(/switched off there.*mcp__remote__\*/)
    expect(by('codex/home/server/remote')?.safe).toBe(false)
    expect(by('cursor/home/server/here')).toMatchObject({ state: 'left_out' })
    expect(by('opencode/home/server/crm')).toMatchObject({ state: 'left_out' })
  })
})
