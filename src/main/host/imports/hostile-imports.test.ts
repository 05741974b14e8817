import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openImportWorld, readFiles, ref, writeFiles } from './imports.testkit.ts'

const command = 'Say hello.\n'

/** Mutation: without `isInside(real, rootOf(path))` in `place.ts`, the first test reads a file outside of the home. */
describe('hostile files of other tools', () => {
  it('are named, and the rest works: links that lead out or in a circle, too much, what is no text', async () => {
    await using world = await openImportWorld({ '.cursor/commands/fine.md': command })
    writeFiles(world.root, {
      'outside/secret.md': 'Not yours.\n',
      'outside/skill/SKILL.md': '---\ndescription: x\n---\nx\n',
    })
    symlinkSync(join(world.root, 'outside/secret.md'), join(world.home, '.cursor/commands/out.md'))
    symlinkSync(join(world.home, '.cursor/commands'), join(world.home, '.cursor/commands/again'))
    symlinkSync('round.md', join(world.home, '.cursor/commands/round.md'))
    mkdirSync(join(world.home, '.cursor/skills'))
    symlinkSync(join(world.root, 'outside/skill'), join(world.home, '.cursor/skills/out'))
    writeFileSync(
      join(world.home, '.claude.json'),
      `{"mcpServers":{"x":{"command":"${'x'.repeat(10 * 1024 * 1024)}"}}}`,
    )
    writeFiles(world.home, {
      '.cursor/mcp.json': `${'['.repeat(100_000)}`,
      '.codex/config.toml': '[mcp_servers\n',
      '.codex/hooks.json': '{ "hooks": ',
      '.config/opencode/opencode.json': '[]',
    })
    writeFileSync(join(world.home, '.cursor/commands/bytes.md'), Buffer.from([0xff, 0xfe, 0x00]))
    const { items, problems } = await world.find()
    expect(items.filter(({ state }) => state !== 'read_here').map(({ id }) => id)).toEqual(['cursor/home/command/fine'])
    expect(problems).toEqual([
      '~/.claude.json: It was not read: it holds more than 8 MB.',
      '~/.codex/config.toml: It is not TOML, so it was not read.',
      '~/.codex/hooks.json: It is no JSON object, so it was not read.',
      '~/.cursor/mcp.json: It was not read. It nests lists or maps deeper than 64 levels.',
      '~/.cursor/commands/bytes.md: It was not read: it is not text.',
      '~/.cursor/commands/out.md: It is a link that leads out of your home, so it was not read.',
      '~/.cursor/commands/round.md: It was not read: it is a link that leads in a circle.',
      '~/.cursor/skills/out: It is a link that leads out of your home, so it was not read.',
      '~/.config/opencode/opencode.json: It is no JSON object, so it was not read.',
    ])
    await world.take('cursor/home/command/fine')
    expect(world.own()).toEqual({ 'commands/fine.md': command })
  })

  it('write nowhere else, whatever their names are, and are no other kind of value', async () => {
    await using world = await openImportWorld({
      '.cursor/commands/.hidden.md': command,
      '.cursor/commands/a\nb.md': command,
      '.config/opencode/opencode.json': {
        command: {
          '../../settings.json': { template: 'x' },
          'a/../../b': { template: 'x' },
          '': { template: 'x' },
          'c:d': { template: 'x' },
        },
        agent: { main: { description: 'x', prompt: 'x' }, odd: 5, wide: { description: 'x', prompt: 'x', tools: 7 } },
        mcp: {
          '\u202eevil': { type: 'local', command: ['x'] },
          list: { type: 'local', command: [{ a: 1 }] },
          word: 'x',
          none: { type: 'local' },
        },
        permission: 5,
      },
      '.codex/config.toml': '[mcp_servers.odd]\ncommand = "x"\nargs = 5\n[hooks]\nStop = 5\n',
      '.cursor/cli-config.json': { permissions: { deny: ['Shell(a) || true', 7, 'Read(../**)', 'Write(~/x/**)'] } },
    })
    const { items, problems } = await world.find()
    expect(problems).toEqual([])
    const open = items.filter(({ state }) => state === 'new' || state === 'differs')
    expect(open.map(({ id }) => id)).toEqual([])
    expect(items.every(({ notes, state }) => state === 'read_here' || notes.length > 0)).toBe(true)
    // What is shown holds no line break and nothing that draws other letters.
    expect(items.flatMap(({ name, source, notes }) => [name, source, ...notes]).join('')).not.toMatch(/[\n\u202e]/)
  })

  it('lose no secret: texts with one stay there, and values of servers become references', async () => {
    const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
    await using world = await openImportWorld({
      '.cursor/commands/leaky.md': `Use ${token}.\n`,
      '.codex/AGENTS.md': `The password = hunter2hunter2\n`,
      '.cursor/mcp.json': {
        mcpServers: {
          a: { command: 'a', args: ['--api-key', 'k-1', `--token=${token}`], env: { MY_PAT: 'short', PLAIN: 'x' } },
          b: { url: `https://name:word@b.example/mcp?api_key=1`, headers: { 'X-Auth': 'v' } },
        },
      },
    })
    await world.take('cursor/home/server/a', 'cursor/home/server/b')
    const written = Object.values(readFiles(world.data)).join('\n')
    for (const secret of [token, 'k-1', '"short"', 'name:word', 'hunter2']) expect(written).not.toContain(secret)
    expect(JSON.parse(world.own()['settings.json'] ?? '').mcp_servers).toEqual({
      a: {
        command: 'a',
        args: ['--api-key', ref('A_API_KEY'), `--token=${ref('A_TOKEN')}`],
        env: { MY_PAT: ref('MY_PAT'), PLAIN: 'x' },
      },
      b: { url: ref('B_URL'), headers: { 'X-Auth': ref('B_X_AUTH') } },
    })
    // What is replaced is shown, but not its secrets.
    writeFiles(world.data, { 'settings.json': { mcp_servers: { a: { command: 'a', env: { MY_PAT: 'short' } } } } })
    expect(await world.item('cursor/home/server/a')).toMatchObject({
      state: 'differs',
      before: expect.not.stringContaining('short'),
    })
    expect((await world.item('cursor/home/command/leaky')).state).toBe('left_out')
    expect((await world.item('codex/home/instructions/AGENTS.md')).state).toBe('left_out')
  })
})

describe('a folder', () => {
  const folder = {
    '.cursor/commands/here.md': command,
    '.cursor/mcp.json': { mcpServers: { x: { command: 'x' } } },
    '.env': 'TOKEN=1\n',
  }

  it('that is not trusted is not read', async () => {
    await using world = await openImportWorld({}, { folder, trusts: false })
    expect(await world.find()).toMatchObject({ items: [], problems: [], folder: 'untrusted' })
    await expect(world.take('cursor/folder/command/here')).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    world.host.projects.setTrusted(world.project.info().id, true)
    expect((await world.item('cursor/folder/command/here')).safe).toBe(false)
  })

  it('gives nothing through a link that leads out of it, or of a file that may not be read', async () => {
    await using world = await openImportWorld({ 'private.md': 'Mine.\n' }, { folder })
    mkdirSync(join(world.folder, '.cursor/rules'))
    symlinkSync(join(world.home, 'private.md'), join(world.folder, '.cursor/rules/out.md'))
    symlinkSync('../../.env', join(world.folder, '.cursor/rules/env.md'))
    const { items, problems } = await world.find()
    expect(items.filter(({ kind }) => kind === 'instructions')).toEqual([])
    const why = 'It was not read: it leads out of the folder, holds secrets, or asks before it is read.'
    expect(problems).toEqual([`/.cursor/rules/env.md: ${why}`, `/.cursor/rules/out.md: ${why}`])
  })
})
