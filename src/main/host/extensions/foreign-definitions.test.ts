import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { promptFileAccess } from '#core/approval/file-policy.ts'
import { noRules } from '#core/approval/rules.ts'
import { isAbsentTool } from '#core/approval/tool-names.ts'
import { createMemoryBaseTree } from '#overlay'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { noClaudeSettings } from '../hooks/claude-settings.ts'
import type { McpServers } from '../mcp/mcp-servers.ts'
import { agentsIn, projectAgents } from './agents.ts'
import { createExtensionSource } from './extension-source.ts'
import { readFrontMatter } from './front-matter.ts'
import { readInstructions } from './instructions.ts'
import type { ProjectFiles } from './project-text.ts'
import { projectSkills } from './skills.ts'

const filesOf = (files: Parameters<typeof createMemoryBaseTree>[0]): ProjectFiles => ({
  base: createMemoryBaseTree(files),
  access: () => promptFileAccess({ interruptOn: new Map(), rules: noRules }),
})
const sourceOf = (files: Parameters<typeof createMemoryBaseTree>[0], own: readonly unknown[] = []) =>
  createExtensionSource({
    files: filesOf(files),
    trusted: () => true,
    mcp: { tools: () => [], prefixes: () => [] } as unknown as McpServers,
    userAgents: () => own,
    settingsFile: 'settings.json',
    person: { skills: [], commands: [] },
    home: () => noClaudeSettings,
    dataFolder: '/nowhere',
    inputsPrefix: '/inputs/',
  })

/** Mutation: with strict YAML alone, most of these definitions are not there. */
describe('a definition of another tool is read as that tool reads it:', () => {
  const read = async (frontMatter: string, file = '/.claude/agents/helper.md') => {
    const { agents, problems } = await projectAgents(filesOf({ [file]: `---\n${frontMatter}\n---\nHelp.\n` }))
    expect(problems).toEqual([])
    return agents[0]
  }

  it.each([
    ['a colon', 'Use when: the tests fail: always'],
    ['a list that ends too early', '[draft] Reviews'],
    ['a whole list', '[draft]'],
    ['braces', '{x} reviews'],
    ['an at-sign', '@team reviews'],
    ['a backtick', '`npm test` runs'],
    ['a star', '*bold* words'],
    ['a lone star', '* reviews'],
    ['an ampersand', '&mdash; reviews'],
    ['an exclamation mark', '!important: reviews'],
    ['a percent sign', '%x reviews'],
    ['a question mark', '? reviews'],
    ['a bar in the middle', 'a | b: c'],
    ['quotes at the beginning', '"Reviews" and: more'],
    ['an apostrophe', "It's: the user's"],
    ['an open quote', '"Reviews'],
    ['a number', '2024'],
    ['a word of logic', 'true'],
    ['a date and a colon', '2024-01-01: reviews'],
    ['a tag', '<example>user: "a" assistant: "b"</example> Use: it'],
    ['escaped lines', 'Use this agent when: x.\\n\\n<example>\\nContext: y\\nuser: "z"\\n</example>'],
    ['a dash', '- reviews: well'],
    ['a comma and brackets', 'a, [b]: c, {d'],
  ])('%s in the description', async (_, description) => {
    expect(await read(`name: helper\ndescription: ${description}\ntools: Read`)).toMatchObject({
      name: 'helper',
      description,
      tools: ['read_file'],
    })
  })

  it('examples over several lines belong to the description', async () => {
    const lines = [
      'Use it: well.',
      '',
      '<example>',
      'Context: a',
      'user: "b"',
      'tools: none',
      '</example>',
      '  and more',
    ]
    const agent = await read(`description: ${lines.join('\n')}\nmodel: opus\ncolor: red`)
    expect(agent?.description.split('\n').map((line) => line.trim())).toEqual(lines.map((line) => line.trim()))
    expect([agent?.model, agent?.unknownKeys, agent?.tools]).toEqual(['opus', ['color'], null])
  })

  it.each([
    ['/.claude/agents/code-reviewer.md', 'description: x', 'code-reviewer'],
    ['/.claude/agents/planner.agent.md', 'description: x: y', 'planner'],
    ['/.coppice/agents/a.md', 'name:\ndescription: x', 'a'],
    ['/.coppice/agents/a.md', 'name: b\ndescription: x', 'b'],
    ['/.coppice/agents/a.md', 'name: 7\ndescription: x', '7'],
  ])('%s with %j has a name', async (file, text, name) => {
    expect((await read(text, file))?.name).toBe(name)
  })

  it.each([
    ['Read, Grep, Glob', ['read_file', 'grep', 'glob']],
    ['Bash(git:*), Edit', ['execute', 'edit_file']],
    ['[read, edit, bash, list]', ['read_file', 'edit_file', 'execute', 'ls']],
    ['[search_file_content, replace, run_shell_command]', ['grep', 'edit_file', 'execute']],
    ["['codebase', 'editFiles', 'runCommands']", ['grep', 'edit_file', 'execute']],
    ['\n  - Read\n  - KillShell', ['read_file', 'process_stop']],
    ['mcp__github, LS', ['mcp__github__*', 'ls']],
    ['Bash(git add:*, git commit:*), Read', ['execute', 'read_file']],
    ['[Bash(git add:*, git commit:*), Read]', ['execute', 'read_file']],
    ['Agent(worker, researcher), Bash (npm test)', ['task', 'execute']],
    ['Read Grep  Glob', ['read_file', 'grep', 'glob']],
    ['"Read", "Write"', ['read_file', 'write_file']],
    ["['search/codebase', 'edit/editFiles', 'read/readFile']", ['grep', 'edit_file', 'read_file']],
    ["['github/*', 'web/fetch', 'play-wright/click']", ['mcp__github__*', 'fetch_url', 'mcp__play-wright__click']],
    ['*', null],
    ['{write: false, bash: true}', null],
  ])('tools: %s', async (given, tools) => {
    const agent = await read(`description: x\ntools: ${given}`)
    expect(agent?.tools).toEqual(tools)
  })

  it('takes away the tools that it says not to give', async () => {
    expect((await read('description: x\ndisallowedTools: Write, Bash(rm:*)'))?.withoutTools).toEqual([
      'write_file',
      'execute',
    ])
    expect((await read('description: x\ntools:\n  write: false\n  bash: true'))?.withoutTools).toEqual(['write_file'])
  })

  it.each([
    ['inherit', null],
    ['default', null],
    ['sonnet', 'sonnet'],
    ['claude-opus-5', 'claude-opus-5'],
  ])('model: %s', async (given, model) => {
    expect((await read(`description: x\nmodel: ${given}`))?.model).toBe(model)
  })

  // Mutation: without `withoutForeign`, there is no such agent.
  it.each([
    ['mode: subagent\nmodel: anthropic/claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5', ['mode: subagent']],
    ['mode: primary', null, ['mode: primary']],
    ['model: Claude Sonnet 4.5 (copilot)', 'sonnet', []],
    ["model: ['Claude Opus 4.5', 'GPT-5.2']", 'opus', []],
    ['model: [gpt-5.2, gpt-5]', null, ['model: [gpt-5.2, gpt-5]']],
    ['model: fast', null, ['model: fast']],
    ['model: sonnet[1m]', 'sonnet[1m]', []],
    ['model: ""', null, ['model: ']],
  ])('a value that only another tool knows is no fault: %s', async (keys, model, unknownKeys) => {
    expect(await read(`description: x\n${keys}`)).toMatchObject({ name: 'helper', mode: 'handoff', model, unknownKeys })
  })

  it('but a misspelt value of our own is one', async () => {
    const { problems } = await projectAgents(
      filesOf({ '/.coppice/agents/a.md': '---\ndescription: x\nmode: tol\n---\n' }),
    )
    expect(problems).toMatchObject([{ message: expect.stringContaining('mode') }])
  })

  it.each(['web_search', 'skill', 'lsp'])('a tool that nobody has is not missed: %s', async (name) => {
    const [taken] = (await read(`description: x\ntools:\n  ${name}: false`))?.withoutTools ?? []
    expect(isAbsentTool(taken ?? '')).toBe(true)
  })

  it('a plan mode narrows it, and other modes give it nothing', async () => {
    const plan = await read('description: x\npermissionMode: plan')
    expect(plan?.tuning.stages).toMatchObject([{ name: 'approvals', mode: 'plan' }])
    const bypass = await read('description: x\npermissionMode: bypassPermissions')
    expect([bypass?.tuning.stages, bypass?.unknownKeys]).toEqual([[], ['permissionMode']])
  })

  it.each(['interrupt_on: [', 'description: x\ninterrupt_on: {execute: true', 'description: x\nmiddleware: - a: b'])(
    'but what guards is not guessed: %j',
    async (text) => {
      const { agents, problems } = await projectAgents(filesOf({ '/.coppice/agents/a.md': `---\n${text}\n---\n` }))
      expect([agents, problems.length, problems[0]?.gate]).toEqual([[], 1, true])
    },
  )

  it('a key that stands twice is no text of another', async () => {
    const text = '---\nname: a\ndescription: x: y\ntools: Read\ntools: Bash\n---\n'
    expect(readFrontMatter('/a.md', text)).toMatchObject({ message: expect.any(String) })
  })

  it('any text in one line is the description, whatever stands in it', async () => {
    const text = fc
      .string({ unit: 'grapheme-ascii', minLength: 1 })
      .filter((one) => /^[^\s"'|>#]\S*( \S+)*$/.test(one) && !/ #/.test(one) && !/^(null|~)$/i.test(one))
    await fc.assert(
      fc.asyncProperty(text, async (description) => {
        expect((await read(`description: ${description}`))?.description).toBe(description)
      }),
    )
  })
})

it('a skill without a name has that of its folder', async () => {
  const { skills, problems } = await projectSkills(
    filesOf({ '/.claude/skills/release/SKILL.md': '---\ndescription: Use when: releasing\n---\n' }),
  )
  expect([skills[0]?.name, skills[0]?.description, problems]).toEqual(['release', 'Use when: releasing', []])
})

it('the run names every key that is not used, and every definition that is not', async () => {
  const source = sourceOf(
    {
      '/.claude/agents/a.md': '---\ndescription: x\ncolor: red\nmaxTurns: 3\n---\n',
      '/.claude/agents/b.md': 'No front matter.',
      '/.claude/skills/s/SKILL.md': '---\ndescription: x\nhooks: {}\n---\n',
    },
    [{ name: 'own', description: 'x', skills: ['s'] }],
  )
  expect((await source.reload()).notes).toEqual([
    '/.claude/agents/b.md:1: It does not begin with front matter between two lines of "---".',
    'The agent own (settings.json): Coppice does not use skills.',
    'The agent a (/.claude/agents/a.md): Coppice does not use color, maxTurns.',
    'The skill s (/.claude/skills/s/SKILL.md): Coppice does not use hooks.',
  ])
  expect(agentsIn([{ name: 'a', description: 'b', tools: ['Read'] }], 's').agents[0]?.withoutTools).toEqual([])
})

describe('instructions of other tools', () => {
  const link = (target: string) => ({ kind: 'symlink', target }) as const
  it.each([
    ['a link to AGENTS.md', { '/AGENTS.md': 'Use tabs.\n', '/CLAUDE.md': link('AGENTS.md') }],
    ['a link the other way', { '/CLAUDE.md': 'Use tabs.\n', '/AGENTS.md': link('CLAUDE.md') }],
    ['the same text', { '/AGENTS.md': 'Use tabs.', '/CLAUDE.md': '\nUse tabs.\n' }],
    // Mutation: with `trim` in place of `wordsOf`, it is read twice.
    ['the same text with other line ends', { '/AGENTS.md': 'Use\ntabs.\n', '/CLAUDE.md': 'Use \r\ntabs.\r\n' }],
    ['the same text beside a comment', { '/AGENTS.md': 'Use tabs.', '/CLAUDE.md': '<!-- for people -->\nUse tabs.' }],
  ])('are read once: %s', async (_, files) => {
    const found = await readInstructions(filesOf(files))
    expect(found.map(({ text }) => text.trim().replace(/\s+/g, ' '))).toEqual(['Use tabs.'])
  })

  it('of folders are read once, also when they are those of a folder above', async () => {
    const source = sourceOf({
      '/AGENTS.md': 'Root.',
      '/a/AGENTS.md': 'A.',
      '/a/CLAUDE.md': link('AGENTS.md'),
      '/a/b/CLAUDE.md': link('../AGENTS.md'),
      '/a/b/c/AGENTS.md': link('../../../AGENTS.md'),
      '/a/b/c/CLAUDE.md': 'C.',
    })
    const found = await source.instructionsAt('/a/b/c/d.ts' as VirtualPath)
    expect(found.map(({ text }) => text)).toEqual(['A.', 'C.'])
  })

  it('lose their comments, but not those in code', async () => {
    const text = 'a<!-- @secret.md\n`x` -->b `<!-- c -->`\n```\n<!-- d -->\n```\n<!-- open'
    const [found] = await readInstructions(filesOf({ '/AGENTS.md': text, '/secret.md': 'told' }))
    expect(found?.text).toBe('ab `<!-- c -->`\n```\n<!-- d -->\n```\n<!-- open')
  })
})
