import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { homeClaudeSettings } from '../hooks/claude-settings.ts'
import { type Files, openImportWorld, readFiles } from './imports.testkit.ts'

const skill = '---\nname: tidy\ndescription: Tidies.\n---\nTidy up.\n'
const everything: Files = {
  '.claude/agents/review.md':
    '---\nname: review\ndescription: Reviews.\ntools: Read, Grep\nmodel: sonnet\ncolor: red\n---\nYou review.\n',
  '.claude/CLAUDE.md': 'Write short sentences.\n',
  '.claude/rules/tests.md': '---\npaths: "**/*.test.ts"\n---\nTests never wait.\n',
  '.claude/settings.json': {
    permissions: { deny: ['Bash(rm *)'], allow: ['Bash'] },
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] },
  },
  '.claude/commands/fix.md': 'Fix it.\n',
  '.claude/skills/kept/SKILL.md': skill.replace('name: tidy', 'name: kept'),
  '.codex/AGENTS.md': 'Prefer plain words.\n',
  '.codex/prompts/ship.md': '---\ndescription: Ships.\nargument-hint: [branch]\n---\nShip $1.\n',
  '.codex/skills/tidy/SKILL.md': skill,
  '.codex/skills/tidy/scripts/run.sh': 'echo tidy\n',
  '.codex/agents/explorer.toml':
    'name = "explorer"\ndescription = "Explores."\nsandbox_mode = "read-only"\nmodel = "gpt-5.4"\ndeveloper_instructions = "You explore."\n',
  '.codex/hooks.json': {
    hooks: {
      PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: '~/bin/guard' }] }],
      PostToolUse: [{ matcher: 'apply_patch', hooks: [{ type: 'command', command: '~/bin/format' }] }],
    },
  },
  '.codex/rules/default.rules': 'prefix_rule(pattern = ["git", "push"], decision = "forbidden")\n',
  '.cursor/commands/plan.md': 'Plan the work.\n',
  '.cursor/agents/checker.md': '---\nname: checker\ndescription: Checks.\nreadonly: true\n---\nYou check.\n',
  '.cursor/hooks.json': { version: 1, hooks: { beforeShellExecution: [{ command: './guard.sh' }] } },
  '.cursor/cli-config.json': {
    version: 1,
    permissions: { allow: ['Shell(ls)'], deny: ['Shell(rm)', 'Read(.env)', 'Shell(curl:*)'] },
  },
  '.config/opencode/opencode.json': {
    permission: { bash: { '*': 'ask', 'git *': 'allow', 'git push *': 'deny' }, edit: 'ask', webfetch: 'allow' },
    agent: {
      docs: { description: 'Documents.', mode: 'subagent', prompt: 'You document.', permission: { bash: 'deny' } },
    },
    command: { note: { template: 'Note $ARGUMENTS.', description: 'Notes.', agent: 'build' } },
    instructions: ['CONTRIBUTING.md'],
  },
  '.config/opencode/agents/team/lead.md': '---\ndescription: Leads.\nmode: primary\n---\nYou lead.\n',
}
const withMemory = (folder: string): Files => ({
  ...everything,
  [`.claude/projects/${folder.replace(/[^A-Za-z0-9]/g, '-')}/memory/MEMORY.md`]: 'The build needs Node 24.\n',
})
const inFolder: Files = {
  '.cursor/rules/api.mdc': '---\ndescription: The API\nglobs: src/api/**\nalwaysApply: false\n---\nAnswer with JSON.\n',
  '.cursor/agents/sly.md':
    '---\nname: sly\ndescription: Sly.\nacp: evil\ninterrupt_on: { execute: false }\n---\nYou are sly.\n',
  '.codex/hooks.json': { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'sh evil.sh' }] }] } },
  'AGENTS.md': 'Be careful.\n',
}

describe('what other tools have in a home and a folder', () => {
  it('is listed with what it would become, and what cannot be taken over truly is left out with the reason', async () => {
    await using world = await openImportWorld(withMemory, { folder: inFolder })
    const { items, problems, folder } = await world.find()
    expect([problems, folder]).toEqual([[], 'read'])
    const states = Object.fromEntries(items.map(({ id, state, safe }) => [id, safe ? `${state}, safe` : state]))
    expect(states).toEqual({
      'claude/home/agent/review': 'new, safe',
      'claude/home/instructions/CLAUDE.md': 'new, safe',
      'claude/home/instructions/tests': 'new',
      'claude/home/memory/MEMORY.md': 'new, safe',
      'claude/home/rule/permissions': 'read_here',
      'claude/home/hook/Stop': 'read_here',
      'claude/home/command/fix': 'read_here',
      'claude/home/skill/kept': 'read_here',
      'codex/home/hook/PreToolUse: ~/bin/guard': 'new',
      'codex/home/hook/PostToolUse: ~/bin/format': 'left_out',
      'codex/home/agent/explorer': 'new',
      'codex/home/command/ship': 'new, safe',
      'codex/home/instructions/AGENTS.md': 'new, safe',
      'codex/home/skill/tidy': 'new, safe',
      'codex/home/rule/default.rules': 'left_out',
      'cursor/home/agent/checker': 'new, safe',
      'cursor/home/command/plan': 'new, safe',
      'cursor/home/hook/beforeShellExecution': 'left_out',
      'cursor/home/rule/Shell(rm)': 'new, safe',
      'cursor/home/rule/Read(.env)': 'new, safe',
      'cursor/home/rule/Shell(curl:*)': 'left_out',
      'cursor/home/rule/allow': 'left_out',
      'opencode/home/agent/docs': 'new, safe',
      'opencode/home/command/note': 'new',
      'opencode/home/rule/ask bash': 'left_out',
      'opencode/home/rule/allow bash git *': 'left_out',
      'opencode/home/rule/deny bash git push *': 'new, safe',
      'opencode/home/rule/ask edit': 'new, safe',
      'opencode/home/rule/allow webfetch': 'left_out',
      'opencode/home/instructions/CONTRIBUTING.md': 'left_out',
      'opencode/home/agent/lead': 'new, safe',
      'claude/folder/instructions/AGENTS.md': 'read_here',
      'codex/folder/hook/Stop: sh evil.sh': 'left_out',
      'cursor/folder/agent/sly': 'new',
      'cursor/folder/instructions/api': 'new',
    })
  })

  it('counts here as it did there once it is taken, and a hook waits until it is switched on', async () => {
    await using world = await openImportWorld(withMemory, { folder: inFolder })
    const { items } = await world.find()
    await world.take(...items.filter(({ state }) => state === 'new').map(({ id }) => id))
    const own = world.own()
    const settings = JSON.parse(own['settings.json'] ?? '{}')
    expect(settings.permissions).toEqual({ deny: ['Bash(rm *)', 'Read(.env)', 'Bash(git push *)'], ask: ['Edit'] })
    expect(settings.subagents).toEqual([
      { name: 'review', description: 'Reviews.', tools: 'Read, Grep', model: 'sonnet', prompt: 'You review.' },
      { name: 'explorer', description: 'Explores.', permissionMode: 'plan', prompt: 'You explore.' },
      { name: 'checker', description: 'Checks.', permissionMode: 'plan', prompt: 'You check.' },
      { name: 'docs', description: 'Documents.', disallowedTools: ['Bash'], prompt: 'You document.' },
      { name: 'lead', description: 'Leads.', prompt: 'You lead.' },
      { name: 'sly', description: 'Sly.', prompt: 'You are sly.' },
    ])
    expect(own['AGENTS.md']).toContain(
      '<!-- from ~/.codex/AGENTS.md -->\nPrefer plain words.\n<!-- end of ~/.codex/AGENTS.md -->\n',
    )
    expect(own['AGENTS.md']).toContain('For files that fit **/*.test.ts:\n\nTests never wait.')
    expect(own['commands/ship.md']).toBe('---\ndescription: Ships.\nargument-hint: "[branch]"\n---\n\nShip $1.\n')
    expect(Object.keys(own).filter((path) => path.startsWith('skills/'))).toEqual([
      'skills/tidy/SKILL.md',
      'skills/tidy/scripts/run.sh',
    ])
    const { memories } = world.project.services.log.state
    expect([...memories.values()].map(({ name, text }) => [name, text])).toEqual([
      ['claude/MEMORY.md', 'The build needs Node 24.\n'],
      ['cursor/api.md', 'For files that fit src/api/**:\n\nAnswer with JSON.\n'],
    ])
    const { hooks } = await world.project.hooks.list()
    expect(hooks.map(({ command, source, state }) => [command, source, state])).toEqual([
      ['~/bin/guard', 'settings', 'off'],
      ['true', 'home', 'on'],
    ])
    const { agents, skills } = await world.project.extensions.find()
    expect(agents.agents.map(({ name, program }) => [name, program])).toContainEqual(['sly', null])
    expect([agents.problems, skills.problems]).toEqual([[], []])
    expect((await world.project.extensions.slash()).entries.map(({ word }) => word)).toEqual(
      expect.arrayContaining(['ship', 'plan', 'note', 'fix', 'tidy']),
    )
    expect((await world.find()).items.filter(({ state }) => state === 'new')).toEqual([])
  })
})

/** Mutation: an undo that leaves a folder, a comment or a line end behind differs in the first of these. */
describe('an undo', () => {
  const before: Files = {
    'settings.json': '\ufeff// mine\r\n{\n  "model": "m", // kept\n  "mcp_servers": { "a": { "command": "a" } },\n}\n',
    'AGENTS.md': 'Mine, without a line end.',
    'commands/plan.md': 'My own plan.\n',
  }

  it('restores all files byte for byte, whatever was taken', async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(fc.nat(), { minLength: 1, maxLength: 12 }), async (hasFiles, picks) => {
        await using world = await openImportWorld(withMemory, { folder: inFolder, data: hasFiles ? before : {} })
        const [own, home] = [world.own(), readFiles(world.home)]
        const { items } = await world.find()
        const open = items.filter(({ state }) => state === 'new' || state === 'differs').map(({ id }) => id)
        await world.take(...new Set(picks.map((pick) => open[pick % open.length] ?? '')))
        const { kept } = await world.undo()
        expect(kept).toEqual([])
        expect(world.own()).toEqual(own)
        expect(readFiles(world.home)).toEqual(home)
        const texts = [...world.project.services.log.state.memories.values()].map(({ text }) => text)
        expect(texts.filter((text) => text !== null)).toEqual([])
        expect((await world.find()).undo).toBeNull()
      }),
      { numRuns: 12 },
    )
  })

  it('keeps what was edited since, and says so', async () => {
    await using world = await openImportWorld(withMemory, { data: before })
    await world.take(
      ...['claude/home/agent/review', 'cursor/home/rule/Shell(rm)', 'cursor/home/command/plan'],
      ...['codex/home/command/ship', 'codex/home/instructions/AGENTS.md', 'claude/home/instructions/CLAUDE.md'],
    )
    const settings = join(world.data, 'settings.json')
    writeFileSync(settings, readFileSync(settings, 'utf8').replace('Reviews.', 'Reviews well.'))
    writeFileSync(join(world.data, 'commands/ship.md'), 'Mine now.\n')
    const instructions = join(world.data, 'AGENTS.md')
    writeFileSync(
      instructions,
      `${readFileSync(instructions, 'utf8').replace('plain words', 'plainer words')}More of mine.\n`,
    )
    const { kept } = await world.undo()
    expect(kept.map((line) => line.replace(world.data, ''))).toEqual([
      '/settings.json: subagents, review was changed since, so it stays.',
      '/AGENTS.md: <!-- from ~/.codex/AGENTS.md --> was changed since, so it stays.',
      '/commands/ship.md was changed since, so it stays.',
    ])
    const own = world.own()
    expect(own['settings.json']).toContain('Reviews well.')
    expect(own['settings.json']).not.toContain('Bash(rm *)')
    expect(own['AGENTS.md']).toContain('plainer words')
    expect(own['AGENTS.md']).toContain('More of mine.')
    expect(own['AGENTS.md']).not.toContain('Write short sentences.')
    expect(own['commands/plan.md']).toBe('My own plan.\n')
  })

  it('leaves settings alone that somebody broke since', async () => {
    await using world = await openImportWorld(everything)
    await world.take('claude/home/agent/review', 'cursor/home/command/plan')
    const broken = `${world.own()['settings.json']?.trimEnd().slice(0, -1)}, "model": `
    writeFileSync(join(world.data, 'settings.json'), broken)
    expect((await world.undo()).kept).toEqual([expect.stringContaining('has a mistake now')])
    expect(world.own()).toEqual({ 'settings.json': broken })
  })

  it('is refused for another import than the latest, and when there is none', async () => {
    await using world = await openImportWorld(everything)
    await expect(world.undo()).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await world.take('cursor/home/command/plan')
    await world.take('codex/home/command/ship')
    await world.undo()
    expect(Object.keys(world.own())).toEqual(['commands/plan.md'])
    await world.undo()
    expect(world.own()).toEqual({})
  })
})

describe('an import', () => {
  it('is refused when the list is another one by now, and takes nothing of what cannot be taken', async () => {
    await using world = await openImportWorld(everything)
    const { fingerprint } = await world.find()
    writeFileSync(join(world.home, '.cursor/commands/plan.md'), 'Something else.\n')
    const { call } = await import('@orpc/server')
    const { id: projectId } = world.project.info()
    const taken = call(
      world.host.router.imports.take,
      { projectId, ids: ['cursor/home/command/plan'], fingerprint },
      { context: {} },
    )
    await expect(taken).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(world.take('cursor/home/rule/allow')).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await expect(world.take('cursor/home/command/plan', 'claude/home/skill/kept')).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
    expect(world.own()).toEqual({})
  })

  it('of two tools that have one of a name takes one', async () => {
    await using world = await openImportWorld({
      '.cursor/commands/plan.md': 'Plan.\n',
      '.codex/prompts/plan.md': 'Plan as Codex does.\n',
      '.config/opencode/commands/plan.md': 'Plan.\n',
    })
    const notes = (await world.item('cursor/home/command/plan')).notes
    expect(notes).toEqual(['Codex has it too (~/.codex/prompts/plan.md). Only one of them can be taken.'])
    await expect(world.take('cursor/home/command/plan', 'codex/home/command/plan')).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
    await world.take('cursor/home/command/plan')
    expect(world.own()).toEqual({ 'commands/plan.md': 'Plan.\n' })
    expect((await world.item('opencode/home/command/plan')).state).toBe('same')
    expect(await world.item('codex/home/command/plan')).toMatchObject({ state: 'differs', before: 'Plan.\n' })
  })

  it('writes nothing where a link of the person leads to another tool or no text is, nor into settings with a mistake', async () => {
    await using world = await openImportWorld(everything, { data: { 'settings.json': '{ "model": }' } })
    mkdirSync(join(world.root, 'elsewhere'))
    symlinkSync(join(world.home, '.claude/CLAUDE.md'), join(world.data, 'AGENTS.md'))
    symlinkSync(join(world.root, 'elsewhere'), join(world.data, 'commands'))
    mkdirSync(join(world.data, 'skills/tidy'), { recursive: true })
    writeFileSync(join(world.data, 'skills/tidy/SKILL.md'), Buffer.from([0xff, 0x00]))
    const { items } = await world.find()
    const state = (id: string) => items.find((one) => one.id === id)?.state
    expect(state('codex/home/instructions/AGENTS.md')).toBe('left_out')
    expect(state('cursor/home/command/plan')).toBe('left_out')
    expect(state('codex/home/skill/tidy')).toBe('left_out')
    expect(state('claude/home/agent/review')).toBe('left_out')
    expect(homeClaudeSettings({ HOME: world.home }).deny).toEqual(['Bash(rm *)'])
  })
})
