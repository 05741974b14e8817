import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PermissionRules } from '#shared/model/settings.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { createJudge, type JudgedCall, stricterMode } from './policy.ts'
import { proposeRules } from './propose-rules.ts'
import { deadRules, matchRules, noRules, type RuleSubject } from './rules.ts'

const patterns = fc.constantFrom('**', 'src/**', '/src/*', '*.env', 'src/a', 'lib/**', './src/a')
const tools = fc.constantFrom(
  'read_file',
  'edit_file',
  'write_file',
  'delete',
  'move',
  'grep',
  'Read',
  'Edit',
  'Write',
  '*',
  'mcp__*',
)
const rule = fc.oneof(
  tools,
  fc.tuple(tools, patterns).map(([tool, pattern]) => `${tool}(${pattern})`),
  fc.constantFrom('no rule at all(', '((', ''),
)
const ruleList = fc.array(rule, { maxLength: 4 })
const rules = fc.record({ deny: ruleList, ask: ruleList, allow: ruleList }) as fc.Arbitrary<PermissionRules>
const paths = fc.array(fc.constantFrom('/src/a', '/src/b', '/lib/c', '/.env', '/x') as fc.Arbitrary<VirtualPath>, {
  maxLength: 3,
})
/** A call of a tool that names these files in whatever way. */
const calling = (tool: string, files: readonly VirtualPath[], command: string | null = null): RuleSubject => ({
  tool: findToolFacts(tool),
  access: { reads: files, writes: [], lists: [], command },
})
const subject = fc
  .tuple(fc.constantFrom('read_file', 'edit_file', 'write_file', 'delete', 'move', 'grep', 'mcp__a__b'), paths)
  .map(([tool, files]) => calling(tool, files))
const effectOf = (given: PermissionRules, about: RuleSubject) => matchRules(given, about)?.effect

describe('rules', () => {
  it('decide by deny before ask before allow, whatever other rules there are', () => {
    const property = fc.property(rules, subject, (given, about) => {
      const only = (effect: keyof PermissionRules) => effectOf({ ...noRules, [effect]: given[effect] }, about)
      expect(effectOf(given, about)).toBe(only('deny') ?? only('ask') ?? only('allow'))
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('never allow more after a restriction is added, nor less after a permission is', () => {
    const strictness = ['deny', 'ask', undefined, 'allow']
    const rank = (given: PermissionRules, about: RuleSubject) => strictness.indexOf(effectOf(given, about))
    const property = fc.property(rules, rule, subject, (given, added, about) => {
      const now = rank(given, about)
      expect(rank({ ...given, deny: [...given.deny, added] }, about)).toBeLessThanOrEqual(now)
      expect(rank({ ...given, allow: [...given.allow, added] }, about)).toBeGreaterThanOrEqual(now)
      expect(rank({ ...given, ask: [...given.ask, added] }, about)).toBeLessThanOrEqual(now)
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('restrict a call by any of its paths, and allow it only by all of them', () => {
    const property = fc.property(rules, subject, (given, about) => {
      fc.pre(about.access.reads.length > 0)
      const each = about.access.reads.map((path) => effectOf(given, calling(about.tool.name, [path])))
      const whole = effectOf(given, about)
      if (each.includes('deny')) expect(whole).toBe('deny')
      else if (each.includes('ask')) expect(whole).toBe('ask')
      else expect(whole).toBe(each.every((effect) => effect === 'allow') ? 'allow' : undefined)
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('that are dead have no effect: without them every call is judged the same', () => {
    const property = fc.property(rules, subject, (given, about) => {
      const dead = deadRules(given)
      const alive = (effect: keyof PermissionRules) =>
        given[effect].filter((text) => !dead.some((one) => one.effect === effect && one.text === text))
      const left = { deny: alive('deny'), ask: alive('ask'), allow: alive('allow') }
      expect(effectOf(left, about)).toBe(effectOf(given, about))
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('that are proposed allow the call that they were proposed for', () => {
    const commands = fc.constantFrom(
      'npm test',
      'npm run a && npm run b',
      'git status',
      'rm -rf x',
      'echo $(x)',
      '',
      'timeout 5 ls -la',
      "grep 'a b' c",
    )
    const asked = fc.oneof(
      subject,
      commands.map((command) => calling('execute', [], command)),
    )
    const property = fc.property(asked, (about) => {
      for (const proposal of proposeRules(about)) expect(effectOf({ ...noRules, allow: proposal }, about)).toBe('allow')
    })
    fc.assert(property, { numRuns: 300 })
  })
})

describe('the gate', () => {
  const modes = ['plan', 'ask', 'auto-edit', 'auto'] as const
  const mode = fc.constantFrom(...modes)
  const question = fc
    .tuple(
      fc.constantFrom('read_file', 'write_file', 'edit_file', 'execute', 'write_todos', 'task', 'mcp__a__b'),
      paths,
      mode,
    )
    .map(([tool, files, chosen]): JudgedCall => {
      const command = tool === 'execute' ? 'ls' : null
      return { ...calling(tool, files, command), mode: chosen }
    })
  const openness = { refuse: 0, drop: 0, ask: 1, try: 2, run: 3 }

  it('never allows more in a stricter mode', () => {
    const property = fc.property(rules, question, mode, (given, asked, limit) => {
      const policy = createJudge({ interruptOn: new Map(), rules: given, sandboxed: true })
      const strict = policy({ ...asked, mode: stricterMode(asked.mode, limit) }).kind
      expect(openness[strict]).toBeLessThanOrEqual(openness[policy(asked).kind])
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('obeys the strictest mode in the settings as if the thread had it', () => {
    const property = fc.property(rules, question, mode, (given, asked, strictestMode) => {
      const options = { interruptOn: new Map(), rules: given, sandboxed: true }
      const limited = createJudge({ ...options, strictestMode })(asked)
      expect(limited).toEqual(createJudge(options)({ ...asked, mode: stricterMode(asked.mode, strictestMode) }))
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('runs nothing that a rule denies, and asks about every command without a sandbox', () => {
    const property = fc.property(rules, question, (given, asked) => {
      const policy = createJudge({ interruptOn: new Map([['execute', false]]), rules: given, sandboxed: false })
      const gate = policy(asked).kind
      if (effectOf(given, asked) === 'deny') expect(gate).toBe('refuse')
      if (asked.tool.name === 'execute') expect(gate).not.toBe('run')
    })
    fc.assert(property, { numRuns: 300 })
  })
})
