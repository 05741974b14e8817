import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSettings } from '#adapters/settings/settings-file.ts'
import { promptFileAccess } from '#core/approval/file-policy.ts'
import { noRules } from '#core/approval/rules.ts'
import type { FileAccess } from '#core/secrets/file-access.ts'
import { createMemoryBaseTree } from '#overlay'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { noClaudeSettings } from '../hooks/claude-settings.ts'
import type { McpServers } from '../mcp/mcp-servers.ts'
import { agentsIn, projectAgents } from './agents.ts'
import { createExtensionSource } from './extension-source.ts'
import { readPlainLines, readYaml } from './front-matter.ts'
import { readInstructions } from './instructions.ts'
import { joinSettings, readOtherFolders } from './other-folders.ts'
import type { ProjectFiles } from './project-text.ts'
import { projectSkills } from './skills.ts'

const byDefault = (): FileAccess => promptFileAccess({ interruptOn: new Map(), rules: noRules })
const filesOf = (files: Parameters<typeof createMemoryBaseTree>[0], access = byDefault): ProjectFiles => ({
  base: createMemoryBaseTree(files),
  access,
})

it('says of a definition of an agent that only its beginning is read', async () => {
  const long = 'x'.repeat(300 * 1024)
  const { agents, problems } = await projectAgents(
    filesOf({
      '/.claude/agents/a.md': `---\ndescription: x\n---\n${long}`,
      '/.coppice/agents.yaml': `#${long}\nsubagents: []`,
    }),
  )
  expect(agents.map(({ name }) => name)).toEqual(['a'])
  const said = 'Only its first 256 KB are read. Make it shorter.'
  expect(problems.map(({ file, message }) => `${file} ${message}`)).toEqual([
    `/.coppice/agents.yaml ${said}`,
    `/.claude/agents/a.md ${said}`,
  ])
})

describe('instructions', () => {
  it('are given once when CLAUDE.md imports AGENTS.md', async () => {
    const files = filesOf({ '/AGENTS.md': 'Use tabs.', '/CLAUDE.md': '@AGENTS.md\nBe kind.' })
    expect(await readInstructions(files)).toEqual([{ file: '/CLAUDE.md', text: '\nUse tabs.\n\nBe kind.' }])
  })

  it('follow imports inside the project, relative to their file, and leave code and unknown names alone', async () => {
    const files = filesOf({
      '/AGENTS.md': 'See @docs/style.md and @me, not `@docs/style.md` or @../outside.md.',
      '/docs/style.md': 'Style, with @naming.md.',
      '/docs/naming.md': 'Names, with @style.md again.',
    })
    const [found] = await readInstructions(files)
    expect(found?.text).toBe(
      'See \nStyle, with \nNames, with @style.md again.\n.\n and @me, not `@docs/style.md` or @../outside.md.',
    )
  })

  it('never include a file that may hold secrets, whether by name or through a link', async () => {
    const secrets = { '/.env': 'KEY=canary', '/deploy/id_rsa': 'canary', '/plain.md': 'canary' }
    const files = filesOf({ ...secrets, '/AGENTS.md': 'See @.env and @deploy/id_rsa and @plain.md.' })
    expect((await readInstructions(files))[0]?.text.match(/canary/g)).toHaveLength(1)
    const linked = filesOf({ '/.env': 'KEY=canary', '/AGENTS.md': { kind: 'symlink', target: '.env' } })
    expect(await readInstructions(linked)).toEqual([])
  })

  it('never include a file whose content is a key', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMIIcanary\n-----END PRIVATE KEY-----'
    const files = filesOf({ '/AGENTS.md': 'See @deploy.md.', '/deploy.md': key })
    expect((await readInstructions(files))[0]?.text).toBe('See @deploy.md.')
  })

  // Mutation: without `isGitConfig` a password without a known prefix is in every request, without `redact` a token is.
  it('show no token that they import or contain, from the settings of git or elsewhere', async () => {
    const url = '[remote "origin"]\n\turl = https://me:canary-of-the-password@example.com/x.git\n'
    const files = filesOf({
      '/.git/config': url,
      '/link.md': { kind: 'symlink', target: '.git/config' },
      '/notes.md': 'Use ghp_canarycanarycanarycanary1234 to fetch.',
      '/AGENTS.md': 'See @.git/config, @link.md and @notes.md. The key is sk-canarycanarycanarycanary.',
    })
    const text = (await readInstructions(files))[0]?.text
    expect(text).toContain('[remote "origin"]')
    expect(text).toContain('to fetch')
    expect(text).not.toContain('canary')
  })

  // Mutation: when `projectText` ignores the rules, the canary is in the text.
  it.each([
    ['a deny rule', { rules: { ...noRules, deny: ['Read(private/**)'] } }],
    ['an ask rule', { rules: { ...noRules, ask: ['Read(private/**)'] } }],
    [
      'a setting',
      { interruptOn: new Map([['Read', { allowed_decisions: ['approve' as const], when: ['private/**'] }]]) },
    ],
    [
      "a project's setting",
      { narrowing: [new Map([['read_file', { allowed_decisions: ['approve' as const], when: ['private/**'] }]])] },
    ],
  ])('obey %s about reading, directly and through links', async (_, settings) => {
    const policy = { interruptOn: new Map(), rules: noRules, ...settings }
    const tree = {
      '/AGENTS.md': 'See @private/plan.md and @open.md and @link.md.',
      '/private/plan.md': 'canary',
      '/open.md': 'open',
      '/link.md': { kind: 'symlink', target: 'private/plan.md' },
    } as const
    const text = (await readInstructions(filesOf(tree, () => promptFileAccess(policy))))[0]?.text
    expect(text).toContain('open')
    expect(text).not.toContain('canary')
  })

  it('are read although every reading of an agent asks', async () => {
    const policy = { interruptOn: new Map([['read_file', true]]), rules: { ...noRules, ask: ['Read'] } }
    const found = await readInstructions(filesOf({ '/AGENTS.md': 'Use tabs.' }, () => promptFileAccess(policy)))
    expect(found[0]?.text).toBe('Use tabs.')
  })

  it('stop at the fifth import and at a maximum length', async () => {
    const chain = Array.from({ length: 9 }, (_, n) => [`/f${n}.md`, `level ${n} @f${n + 1}.md`] as const)
    const files = filesOf({ '/AGENTS.md': 'start @f0.md', ...Object.fromEntries(chain) })
    const text = (await readInstructions(files))[0]?.text ?? ''
    expect([text.includes('level 4'), text.includes('level 5')]).toEqual([true, false])
    const long = await readInstructions(filesOf({ '/AGENTS.md': 'x'.repeat(100_000) }))
    expect(long[0]?.text.length).toBeLessThan(60_100)
  })

  it('look for at most a hundred imports', async () => {
    const names = Array.from({ length: 3_000 }, (_, n) => `@n${n}`)
    let read = 0
    const files = filesOf({ '/AGENTS.md': names.join(' ') })
    const base: typeof files.base = {
      ...files.base,
      read(...args) {
        read += 1
        return files.base.read(...args)
      },
    }
    expect(await readInstructions({ ...files, base })).toHaveLength(1)
    expect(read).toBeLessThan(110)
  })
})

describe('a hostile definition', () => {
  const lists = ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
  const bomb = `a: &a [${Array(9).fill('x')}]\n${lists.map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`)}]`).join('\n')}`
  const hostile = [
    ['aliases that stand for billions', bomb],
    ['an alias for what contains it', 'a: &a [*a]'],
    ['a list within itself 30,000 times', `a: ${'['.repeat(30_000)}${']'.repeat(30_000)}`],
    ['maps without end', '{a: '.repeat(15_000)],
    ['dashes without end', `a:\n  ${'- '.repeat(30_000)}b`],
    ['keys that are maps', '? {a: {b: c}}\n: d'],
    ['more keys than anyone writes', Array.from({ length: 9_000 }, (_, n) => `k${n}: 1`).join('\n')],
    ['an endless line', `a: ${'x'.repeat(200_000)}`],
  ] as const

  it.each(hostile)('with %s is a problem of its own file, and the rest load', async (_, yaml) => {
    const good = '---\nname: good\ndescription: It loads.\n---\n'
    const files = filesOf({
      '/.agents/skills/bad/SKILL.md': `---\n${yaml}\n---\n`,
      '/.agents/skills/good/SKILL.md': good,
      '/.coppice/agents/bad.md': `---\n${yaml}\n---\n`,
      '/.coppice/agents/good.md': good,
      '/.coppice/agents.yaml': yaml,
    })
    const [skills, agents] = [await projectSkills(files), await projectAgents(files)]
    expect([skills.skills, agents.agents].map((found) => found.map(({ name }) => name))).toEqual([['good'], ['good']])
    expect(skills.problems.map(({ file }) => file)).toEqual(['/.agents/skills/bad/SKILL.md'])
    expect(agents.problems.map(({ file }) => file)).toEqual(['/.coppice/agents.yaml', '/.coppice/agents/bad.md'])
  })

  /** Notices a reader that goes on after the first error, which takes ten times as long. */
  it.each(['}', ']', '}{', '- }'])('with an error at each character is read up to the first: %j', (part) => {
    const started = process.cpuUsage()
    const texts = [part.repeat(60_000 / part.length), `a: 1\n${part.repeat(50_000 / part.length)}`]
    for (const text of texts)
      expect(readYaml('/a.yaml', text)).toMatchObject({ file: '/a.yaml', line: expect.any(Number) })
    const { user } = process.cpuUsage(started)
    expect(user / 1000, 'milliseconds of the processor').toBeLessThan(400)
  })

  // Mutation: let a colon, a number sign or a word such as `null` be words.
  it('that holds nothing but words is read without it, to the same', () => {
    const word = fc.constantFrom(
      'a',
      'Use',
      'null',
      'TRUE',
      'yes',
      '#',
      ' #x',
      ':',
      ': ',
      '-',
      "it's",
      '12',
      '1e3',
      '~',
      '(b)',
      ',',
      '.',
      '"',
      '[',
      ' ',
    )
    const value = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))
    const key = fc.constantFrom('name', 'description', 'allowed-tools', 'a_b', 'x1', '__proto__')
    const line = fc.tuple(key, fc.constantFrom(': ', ':', ':  '), value).map((parts) => parts.join(''))
    let plain = 0
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), (lines) => {
        const read = readPlainLines(lines.join('\n'))
        if (read === undefined) return
        plain += 1
        expect(readYaml('/a.md', lines.join('\n'))).toEqual({ value: read })
      }),
      { numRuns: 2_000 },
    )
    expect(plain).toBeGreaterThan(20)
  })

  it('with several documents is a problem', () => {
    expect(readYaml('/a.yaml', 'a: 1\n---\nb: 2')).toMatchObject({
      line: 2,
      message: expect.stringContaining('several documents'),
    })
  })
})

describe('skills', () => {
  it('are found in both places; one without a description is reported, and the rest load', async () => {
    const files = filesOf({
      '/.agents/skills/release/SKILL.md': '---\nname: release\ndescription: How to\n  release.\n---\nTag it.',
      '/.claude/skills/broken/SKILL.md': '---\nname: broken\n---\n',
      '/.claude/skills/plain/SKILL.md': 'No front matter.',
      '/.claude/skills/notes.md': 'Not a skill.',
    })
    const { skills, problems } = await projectSkills(files)
    expect(skills).toMatchObject([
      { name: 'release', description: 'How to release.', file: '/.agents/skills/release/SKILL.md' },
    ])
    expect(problems.map(({ file, line }) => [file, line])).toEqual([
      ['/.claude/skills/broken/SKILL.md', 2],
      ['/.claude/skills/plain/SKILL.md', 1],
    ])
  })
})

describe('agents', () => {
  const yaml = `subagents:
  - name: reviewer
    description: Reviews.
    system_prompt: Be strict.
    context_scope: scoped
    include_state_summary: false
    tools: [read_file, grep]
    color: red
  - name: judge
    description: Says yes or no.
    mode: tool
  - description: Nameless.
`
  const markdown = `---
name: fixer
description: Fixes.
tools: Read, Edit, Bash
model: inherit
interrupt_on:
  execute: false
  write_file: true
---
Fix what you are told.
`

  it('come from YAML and from Markdown, with problems by file and line', async () => {
    const files = filesOf({ '/.coppice/agents.yaml': yaml, '/.claude/agents/fixer.md': markdown })
    const { agents, problems } = await projectAgents(files)
    expect(agents).toMatchObject([
      {
        name: 'reviewer',
        prompt: 'Be strict.',
        contextScope: 'scoped',
        includeStateSummary: false,
        unknownKeys: ['color'],
      },
      { name: 'judge', mode: 'tool', tools: null, prompt: null },
      { name: 'fixer', prompt: 'Fix what you are told.', tools: ['read_file', 'edit_file', 'execute'], model: null },
    ])
    expect(problems).toMatchObject([
      { file: '/.coppice/agents.yaml', line: 12, message: expect.stringContaining('name') },
    ])
  })

  it('of a project can only be stricter; those of the user can be looser too', async () => {
    const { agents } = await projectAgents(filesOf({ '/.claude/agents/fixer.md': markdown }))
    expect(agents[0]?.interruptOn).toEqual(new Map([['write_file', true]]))
    const own = agentsIn([{ name: 'a', description: 'b', interrupt_on: { execute: false } }], 'settings.json')
    expect(own.agents[0]?.interruptOn).toEqual(new Map([['execute', false]]))
  })

  it("with a name that is taken are reported; the user's own one counts", async () => {
    const found = await createExtensionSource({
      files: filesOf({
        '/.claude/agents/fixer.md': markdown,
        '/.coppice/agents.yaml': yaml.replace('judge', 'reviewer'),
      }),
      trusted: () => true,
      mcp: { tools: () => [], prefixes: () => [] } as unknown as McpServers,
      userAgents: () => [{ name: 'fixer', description: 'Mine.' }],
      settingsFile: 'settings.json',
      person: { skills: [], commands: [] },
      home: () => noClaudeSettings,
      dataFolder: '/nowhere',
      inputsPrefix: '/inputs/',
    }).find()
    expect(found.agents.agents.map(({ name, source }) => [name, source])).toEqual([
      ['fixer', 'settings.json'],
      ['reviewer', '/.coppice/agents.yaml'],
    ])
    expect(found.agents.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('name'),
      'reviewer is already defined in /.coppice/agents.yaml.',
      'fixer is already defined in settings.json.',
    ])
  })

  it('have every tool when the definition says "*", as in Claude\'s files', () => {
    expect(agentsIn([{ name: 'a', description: 'b', tools: '*' }], 'settings.json').agents[0]?.tools).toBeNull()
  })

  it('cannot replace the main agent', () => {
    const { agents, problems } = agentsIn([{ name: 'main', description: 'x', prompt: 'y' }], 'settings.json')
    expect([agents.length, problems[0]?.message]).toEqual([0, 'name: main is built in. Choose another name.'])
  })

  it('are read again without waiting for servers', async () => {
    const servers = { refresh: () => new Promise(() => {}), tools: () => [], prefixes: () => [] }
    const source = createExtensionSource({
      files: filesOf({}),
      trusted: () => true,
      mcp: servers as unknown as McpServers,
      userAgents: () => [{ name: 'other', description: 'x' }],
      settingsFile: 'settings.json',
      person: { skills: [], commands: [] },
      home: () => noClaudeSettings,
      dataFolder: '/nowhere',
      inputsPrefix: '/inputs/',
    })
    expect((await source.reload()).agents.map(({ name }) => name)).toEqual(['general-purpose', 'other'])
  })

  it('replace general-purpose and stay the first type', async () => {
    const source = createExtensionSource({
      files: filesOf({}),
      trusted: () => true,
      mcp: { refresh: async () => {}, tools: () => [], prefixes: () => [] } as unknown as McpServers,
      userAgents: () => [
        { name: 'other', description: 'x' },
        { name: 'general-purpose', description: 'Ours.', prompt: 'Be terse.' },
      ],
      settingsFile: 'settings.json',
      person: { skills: [], commands: [] },
      home: () => noClaudeSettings,
      dataFolder: '/nowhere',
      inputsPrefix: '/inputs/',
    })
    const { agents } = await source.refresh()
    expect(agents).toMatchObject([{ name: 'general-purpose', prompt: 'Be terse.' }, { name: 'other' }])
  })

  it.each([
    ['subagents: {a: b}', 1],
    ['subagents:\n  - [', 2],
    ['subagents:\n  - name: x\n    description: [y]\n', 2],
    ['x: &a [*a, *a]\nsubagents: !!js/function "() => 1"', 1],
  ])('%j is a problem, not a crash', async (text, line) => {
    const { agents, problems } = await projectAgents(filesOf({ '/.coppice/agents.yaml': text }))
    expect(agents).toEqual([])
    expect(problems[0]?.line).toBe(line)
  })
})

describe('a second folder of the project', () => {
  const lib = ['/lib'] as readonly string[] as readonly VirtualPath[]
  const withLib = (files: Parameters<typeof createMemoryBaseTree>[0]): ProjectFiles => {
    const { base, access } = filesOf(files)
    return { base: { ...base, roots: () => lib }, access }
  }

  it('has skills of its own, after those of the first one', async () => {
    const skill = (description: string) => `---\ndescription: ${description}\n---\n`
    const { skills } = await projectSkills(
      withLib({
        '/.agents/skills/here/SKILL.md': skill('First.'),
        '/lib/.claude/skills/there/SKILL.md': skill('Second.'),
      }),
    )
    expect(skills.map(({ name, file }) => `${name} ${file}`)).toEqual([
      'here /.agents/skills/here/SKILL.md',
      'there /lib/.claude/skills/there/SKILL.md',
    ])
  })

  it('has agents of its own, after those of the first one', async () => {
    const agent = (name: string) => `---\nname: ${name}\ndescription: d\n---\n`
    const { agents } = await projectAgents(
      withLib({
        '/.claude/agents/b.md': agent('b'),
        '/lib/.claude/agents/a.md': agent('a'),
        '/lib/.coppice/agents.yaml': 'subagents:\n  - name: b\n    description: d\n',
      }),
    )
    expect(agents.map(({ name, source }) => `${name} ${source}`)).toEqual([
      'b /.claude/agents/b.md',
      'b /lib/.coppice/agents.yaml',
      'a /lib/.claude/agents/a.md',
    ])
  })

  it('has checks and a setup that start in it, and are about its files', async () => {
    const other = {
      checks: [
        { name: 'test', run: 'npm test' },
        { name: 'types', run: 'tsc', paths: ['/src/**', './a', 'b'] },
      ],
      environment: { setup: 'npm ci', inputs: ['package-lock.json'], hosts: ['preset:npm'] },
    }
    const others = await readOtherFolders(withLib({ '/lib/.coppice/settings.json': JSON.stringify(other) }))
    const { settings: first } = parseSettings('f', '{"checks": [{"name": "test", "run": "make"}]}')
    const joined = joinSettings({ ...first, environment: { setup: 'make deps', inputs: ['Makefile'] } }, others)
    const there = `cd "\${COPPICE_FOLDER_LIB:?}" || exit\n`
    expect(joined.checks?.map(({ name, run, paths }) => [name, run, paths])).toEqual([
      ['test', 'make', []],
      ['lib: test', `${there}npm test`, ['lib/**']],
      ['lib: types', `${there}tsc`, ['lib/src/**', 'lib/a', 'lib/b']],
    ])
    expect(joined.environment).toEqual({
      setup: `(\nmake deps\n) &&\n(\n${there}npm ci\n)`,
      inputs: ['Makefile', 'lib/package-lock.json'],
      hosts: ['preset:npm'],
    })
    expect(joinSettings(first, others).environment?.setup).toBe(`${there}npm ci`)
    expect(joinSettings(first, [])).toEqual(first)
  })

  // Mutation: read the rules of the first folder alone, and agents read what the other folder closes to them.
  it('has rules about its own files', async () => {
    const permissions = {
      deny: ['Read(private/**)', 'Edit(/*.lock)', 'Bash(rm *)', 'web_fetch'],
      ask: ['Write(./a)'],
      allow: ['Read(**)'],
    }
    const others = await readOtherFolders(
      withLib({ '/lib/.coppice/settings.json': JSON.stringify({ permissions, max_iterations: 1 }) }),
    )
    const { deny = [], ask = [] } = joinSettings({}, others).permissions ?? {}
    const problems = others.flatMap((one) => one.problems)
    expect([deny, ask]).toEqual([['read_file(/lib/private/**)', 'edit_file(/lib/*.lock)'], ['write_file(/lib/a)']])
    expect(problems.map(({ message }) => /The rule (.*) is not used/.exec(message)?.[1])).toEqual([
      'Bash(rm *)',
      'web_fetch',
    ])
    const rules = { ...noRules, deny, ask }
    const access = promptFileAccess({ interruptOn: new Map(), rules })
    const mayRead = (path: string) => access.mayRead(path as VirtualPath)
    expect(['/lib/private/x', '/private/x', '/lib/a'].map(mayRead)).toEqual([false, true, true])
  })
})
