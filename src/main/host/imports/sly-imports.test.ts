import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openImportWorld, readFiles, ref, writeFiles } from './imports.testkit.ts'

const command = 'Say hello.\n'
const agent = (more: string) => `---\nname: sly\ndescription: Sly.\n${more}\n---\nYou are sly.\n`

describe('an agent of another tool', () => {
  /** Mutation: leave out a limit that has no equal, with a note. */
  it.each([
    [
      'a list of tools that are off by patterns',
      '.config/opencode/agents/sly.md',
      'tools:\n  "*": false\n  read: true',
    ],
    ['the tools of a server that are off', '.config/opencode/agents/sly.md', 'tools:\n  github_*: false'],
    ['a word for read-only that is none', '.cursor/agents/sly.md', 'readonly: "yes"'],
    ['tools of a wrong kind', '.claude/agents/sly.md', 'tools: 7'],
    ['one word for all permissions', '.config/opencode/agents/sly.md', 'permission: deny'],
  ])('is left out when it has %s', async (_, path, more) => {
    await using world = await openImportWorld({ [path]: agent(more) })
    expect((await world.find()).items.map(({ state }) => state)).toEqual(['left_out'])
  })
})

/** Mutation: take a secret for a plain value when neither its name nor its form is the usual one. */
it('no secret of a server, a rule or a hook is copied or shown, however it is written', async () => {
  const secrets = ['s3cr3t', 'hunter2']
  const env = {
    ...{ passphrase: 's3cr3t', accessKey: 's3cr3t', DATABASE_URL: 'postgres://u:s3cr3t@h/d' },
    ...{ SENTRY_DSN: 'https://s3cr3t@h.example/1', PLAIN: 'x', JWT: 's3cr3t' },
  }
  const args = [
    ...[
      '--token=s3cr3t',
      '-e',
      'GITHUB_TOKEN=s3cr3t',
      '--header',
      'X-Api-Key: s3cr3t',
      '--header=Authorization: s3cr3t',
    ],
    ...['--port=80', 'https://h.example/mcp?apiKey=s3cr3t', '--user', 'name:hunter2'],
  ]
  await using world = await openImportWorld({
    '.cursor/mcp.json': {
      mcpServers: {
        a: { command: 'a', args, env },
        b: { url: 'https://h.example/mcp', auth: { scopes: [{ token: 's3cr3t' }] } },
      },
    },
    '.codex/hooks.json': {
      hooks: {
        Stop: [{ hooks: [{ type: 'command', command: 'curl', args: ['-H', 'password=s3cr3t-hunter2'] }] }],
        SessionEnd: [{ hooks: [{ type: 'command', command: 'curl -H password=s3cr3t-hunter2' }] }],
      },
    },
    '.config/opencode/opencode.json': { permission: { bash: { 'curl password=s3cr3t-hunter2': 'deny' } } },
  })
  const { items } = await world.find()
  const open = items.filter(({ state }) => state === 'new').map(({ id }) => id)
  await world.take(...open)
  const seen = [JSON.stringify(items), ...Object.values(readFiles(world.data))].join('\n')
  for (const secret of secrets) expect(seen).not.toContain(secret)
  const { a } = JSON.parse(world.own()['settings.json'] ?? '').mcp_servers
  expect(a.env.PLAIN).toBe('x')
  expect(a.args).toContain('--port=80')
  expect(a.args).toContain(`--token=${ref('A_TOKEN')}`)
})

describe('names', () => {
  it('with the sign of a counted id take what was chosen', async () => {
    await using world = await openImportWorld({
      '.config/opencode/opencode.json': { command: { 'a#2': { template: 'Counted.' }, a: { template: 'First.' } } },
      '.config/opencode/commands/a.md': 'Second.\n',
    })
    const { items } = await world.find()
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
  })

  it.each(['con', 'NUL', 'lpt1.x', 'ü'.repeat(99) + 'x'.repeat(99), 'é'.repeat(100)])(
    'that a file cannot have everywhere are left out: %s',
    async (name) => {
      await using world = await openImportWorld({
        '.config/opencode/opencode.json': { command: { [name]: { template: 'x' } } },
      })
      expect((await world.find()).items.map(({ state }) => state)).toEqual(['left_out'])
    },
  )
})

describe('an undo', () => {
  const codexHooks = (...commands: readonly string[]) => ({
    hooks: { Stop: [{ hooks: commands.map((one) => ({ type: 'command', command: one })) }] },
  })

  /** Mutation: compare with the objects of a node, which have no prototype. */
  it('takes servers, agents and hooks out of settings to which something else was added', async () => {
    await using world = await openImportWorld({
      '.codex/hooks.json': codexHooks('~/bin/sly'),
      '.cursor/mcp.json': { mcpServers: { a: { command: 'a', args: ['b'] } } },
      '.cursor/agents/sly.md': agent(''),
    })
    await world.take('codex/home/hook/Stop: ~/bin/sly', 'cursor/home/server/a', 'cursor/home/agent/sly')
    const file = join(world.data, 'settings.json')
    const settings = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...settings, model: 'm' }))
    expect((await world.undo()).kept).toEqual([])
    expect(JSON.stringify(JSON.parse(readFileSync(file, 'utf8')))).not.toMatch(/sly|"a"/)
  })

  /** Mutation: switch on what stays. */
  it('switches no hook on that stays, since somebody changed its group or broke the settings', async () => {
    await using world = await openImportWorld({ '.codex/hooks.json': codexHooks('~/bin/sly') })
    await world.take('codex/home/hook/Stop: ~/bin/sly')
    const file = join(world.data, 'settings.json')
    const settings = JSON.parse(readFileSync(file, 'utf8'))
    settings.hooks.Stop[0].hooks.push({ type: 'command', command: 'true' })
    writeFileSync(file, JSON.stringify(settings))
    expect((await world.undo()).kept).toEqual([expect.stringContaining('hooks.Stop')])
    const { hooks } = await world.project.hooks.list()
    expect(hooks.map(({ command: line, state }) => [line, state])).toEqual([
      ['~/bin/sly', 'off'],
      ['true', 'on'],
    ])
  })

  /** Mutation: leave the mark of another source in a text. */
  it('and another import leave instructions of the person alone between texts that quote each other’s marks', async () => {
    await using world = await openImportWorld({
      '.codex/AGENTS.md': 'Plain.\n<!-- from ~/.config/opencode/AGENTS.md -->\nSly.\n',
    })
    await world.take('codex/home/instructions/AGENTS.md')
    const file = join(world.data, 'AGENTS.md')
    writeFileSync(file, `${readFileSync(file, 'utf8')}Mine.\n`)
    writeFiles(world.home, { '.config/opencode/AGENTS.md': 'Other.\n' })
    await world.take('opencode/home/instructions/AGENTS.md')
    writeFiles(world.home, { '.config/opencode/AGENTS.md': 'Other words.\n' })
    await world.take('opencode/home/instructions/AGENTS.md')
    expect(readFileSync(file, 'utf8')).toContain('Mine.\n')
    expect(readFileSync(file, 'utf8')).toContain('Sly.\n')
  })
})

describe('homes that variables name', () => {
  const files = {
    'elsewhere/codex/prompts/ship.md': command,
    'elsewhere/codex/AGENTS.md': 'Plain.\n',
    'elsewhere/config/opencode/commands/note.md': command,
    'elsewhere/claude/commands/fix.md': command,
    'elsewhere/claude/agents/review.md': agent('tools: Read').replace('sly', 'review'),
    'elsewhere/claude/.claude.json': { mcpServers: { docs: { command: 'docs' } } },
    'elsewhere/claude/settings.json': {
      permissions: { deny: ['Bash(rm *)'], allow: ['Bash'] },
      hooks: { PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: '~/bin/guard' }] }] },
    },
    'elsewhere/claude/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies.\n---\nTidy.\n',
  }
  const open = async (environment: (root: string) => Readonly<Record<string, string>>, trusts = true) => {
    const world = await openImportWorld(
      { '.codex/prompts/old.md': command, '.claude/commands/here.md': command },
      { environment, trusts },
    )
    writeFiles(world.root, files)
    return world
  }

  it('are read in place of the usual ones, by their own paths', async () => {
    await using world = await open((root) => ({
      CODEX_HOME: join(root, 'elsewhere/codex'),
      XDG_CONFIG_HOME: join(root, 'elsewhere/config/'),
      CLAUDE_CONFIG_DIR: join(root, 'elsewhere/claude'),
    }))
    const { items, problems } = await world.find()
    expect(problems).toEqual([])
    const at = (path: string) => join(world.root, 'elsewhere', path)
    expect(items.map(({ id, state, source }) => [id, state, source])).toEqual([
      ['claude/home/server/docs', 'new', at('claude/.claude.json')],
      ['claude/home/agent/review', 'new', at('claude/agents/review.md')],
      ['claude/home/command/fix', 'new', at('claude/commands/fix.md')],
      ['claude/home/skill/tidy', 'new', at('claude/skills/tidy/SKILL.md')],
      ['claude/home/rule/deny Bash(rm *)', 'new', at('claude/settings.json')],
      ['claude/home/rule/allow', 'left_out', at('claude/settings.json')],
      ['claude/home/hook/PreToolUse: ~/bin/guard', 'new', at('claude/settings.json')],
      ['claude/home/command/here', 'read_here', '~/.claude/commands/here.md'],
      ['codex/home/command/ship', 'new', at('codex/prompts/ship.md')],
      ['codex/home/instructions/AGENTS.md', 'new', at('codex/AGENTS.md')],
      ['opencode/home/command/note', 'new', at('config/opencode/commands/note.md')],
    ])
    await world.take(...items.filter(({ state }) => state === 'new').map(({ id }) => id))
    expect(Object.keys(world.own())).toEqual([
      ...[
        'AGENTS.md',
        'commands/fix.md',
        'commands/note.md',
        'commands/ship.md',
        'settings.json',
        'skills/tidy/SKILL.md',
      ],
    ])
    const { hooks } = await world.project.hooks.list()
    expect(hooks.map(({ command: line, state }) => [line, state])).toEqual([['~/bin/guard', 'off']])
  })

  /** Mutation: follow a variable wherever it leads. */
  it('are not followed into the open folder, also through a link, nor from where the app was started', async () => {
    await using world = await open(
      (root) => ({
        CODEX_HOME: join(root, 'home/app/.codex'),
        CLAUDE_CONFIG_DIR: join(root, 'link'),
        XDG_CONFIG_HOME: 'config',
      }),
      false,
    )
    writeFiles(world.folder, { '.codex/prompts/sly.md': command, 'claude/agents/sly.md': agent('') })
    symlinkSync(join(world.folder, 'claude'), join(world.root, 'link'))
    const { items, problems } = await world.find()
    expect(items.map(({ id }) => id)).toEqual(['claude/home/command/here', 'codex/home/command/old'])
    expect(problems).toEqual([
      'CLAUDE_CONFIG_DIR was not followed: it leads into the open folder.',
      'CODEX_HOME was not followed: it leads into the open folder.',
      'XDG_CONFIG_HOME was not followed: it is no whole path.',
    ])
  })

  it('give nothing through a link that leads out of them', async () => {
    await using world = await open((root) => ({ CODEX_HOME: join(root, 'elsewhere/codex') }))
    writeFiles(world.root, { 'private.md': 'Mine.\n' })
    mkdirSync(join(world.root, 'elsewhere/codex/more'))
    symlinkSync(join(world.root, 'private.md'), join(world.root, 'elsewhere/codex/prompts/out.md'))
    const { items, problems } = await world.find()
    expect(items.map(({ name }) => name)).not.toContain('out')
    expect(problems).toEqual([
      `${join(world.root, 'elsewhere/codex/prompts/out.md')}: It is a link that leads out of that folder, so it was not read.`,
    ])
  })
})
