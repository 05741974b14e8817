import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { findToolFacts, toolFacts } from '#shared/tools/tool-facts.ts'
import { type InterruptSetting, type InterruptSettings, passedSettings, settingProblems } from './interrupt-settings.ts'
import { proposeRules } from './propose-rules.ts'
import { absentTools, ruleProblems } from './rule-problems.ts'
import { matchRules, noRules } from './rules.ts'
import { subjectOf } from './subject.testkit.ts'
import { type KnownServerTools, noServerTools } from './tool-names.ts'

const known: KnownServerTools = {
  tools: [{ name: 'mcp__issues__close', serverTool: 'close' }],
  prefixes: ['mcp__issues__', 'mcp__away__'],
}
const problemsOf = (text: string, effect: 'deny' | 'ask' | 'allow' = 'deny') =>
  ruleProblems({ ...noRules, [effect]: [text] }, known).map(({ problem }) => problem)

/** Mutation: without the call of `ruleProblems` in `agent-policy.ts`, each of these is silent again. */
describe('a rule that can never hold is named with the nearest right one', () => {
  it.each([
    ['Wrte(public/**)', 'Did you mean Write?'],
    ['WRITE(a)', 'Did you mean Write?'],
    ['Delete(a)', 'Did you mean delete?'],
    ['bash(rm *)', 'Did you mean Bash?'],
    ['Reed', 'Did you mean Read?'],
    ['excute(rm *)', 'Did you mean execute?'],
    ['Edit( a)', 'Did you mean Edit(a)?'],
    ['Edit(a )', 'Did you mean Edit(a)?'],
    ['Edit (a)', 'right after it: Edit(a).'],
    ['Edit(a', 'right after it: Edit(a).'],
    ['Edit[a]', 'This is not a rule.'],
    ['', 'This is not a rule.'],
    ['Edit()', 'An empty pattern'],
    ['Read(../x)', 'Did you mean Read(x)?'],
    ['Read(a/../b)', 'outside of it'],
    ['Read(~/.ssh/**)', 'Did you mean Read(.ssh/**)?'],
    ['Read($HOME/x)', 'outside of it'],
    ['Read(C:\\Users\\me\\**)', 'outside of it'],
    ['Edit(src\\app\\**)', 'Did you mean Edit(src/app/**)?'],
    ['Edit(src/)', 'Did you mean Edit(src/**)?'],
    ['Edit(src//a)', 'Did you mean Edit(src/a)?'],
    ['Edit(src/./a)', 'Did you mean Edit(src/a)?'],
    ['Edit(.)', 'No file of the project'],
    ['Edit({../a,b/../c})', 'outside of it'],
    ['Edit(@(./|..)/@(./|/)a)', 'No file of the project'],
    ['Edit(a[]b/)', 'No file of the project'],
    ['Edit(src/**, docs/**)', 'Write a rule for each.'],
    ['Bash()', 'An empty pattern'],
    ['Bash(:*)', 'No single command'],
    ['Bash(curl * | sh)', 'No single command'],
    ['Bash(git add . && git commit *)', 'No single command'],
    ['Bash(git commit -m "a b")', 'No single command'],
    ['Bash(echo * > out)', 'No single command'],
    ['task(review)', 'names no file and no command. Write task.'],
    ['write_todos(a)', 'names no file and no command.'],
    ['mcp__isues__close', 'There is no tool "mcp__isues__close".'],
    ['mcp__issues__clse', 'There is no tool "mcp__issues__clse".'],
    ['mcp__isues', 'There is no tool "mcp__isues".'],
    ['close', 'Write the full name of the tool: mcp__issues__close.'],
    ['Effects(a few files)', 'This is not a rule about effects.'],
    ['Effects(src/**, ../x)', 'outside of it'],
    ['Efects(src/**)', 'There is no tool "Efects".'],
  ])('%s', (text, words) => {
    for (const effect of ['deny', 'ask', 'allow'] as const) expect(problemsOf(text, effect).join()).toContain(words)
  })

  it.each([
    ['Bash(echo $HOME)', 'No single command'],
    ['Bash(CI=1 npm test)', 'No single command'],
    ['Edit(!(a))', 'cannot be read'],
  ])('%s, which could only restrict', (text, words) => {
    expect(problemsOf(text, 'allow').join()).toContain(words)
  })
})

it.each([
  ...['Read', 'Edit(src/**)', 'Write(/docs/a.md)', 'Read(./.env)', 'Read(**)', 'Read(/)', 'Edit(.github/**)', 'ls(a)'],
  ...['Edit({src,docs}/**/*.{ts,tsx})', 'Edit(a b)', 'Edit(...)', 'Edit(..a/b..)', 'Edit([!/]x)', 'Bash', 'Bash(*)'],
  ...[
    'Bash(npm run *)',
    'Bash(npm run:*)',
    'Bash(sudo rm *)',
    'Bash(rm -rf /*)',
    'Bash(bash -c *)',
    'process_input(y)',
  ],
  ...[
    'run_js_code(src/**)',
    'mcp__issues',
    'mcp__issues__*',
    'mcp__away__any',
    'mcp__elsewhere__x',
    'mcp__*',
    '*',
    '*_file',
  ],
  ...['delete(src/**)', 'move(a)', 'Agent', 'WebFetch(domain:example.com)', 'agent_request', 'Effects(no changes)'],
  ...['Effects(src/**, ≤ 20 files, no deletions)'],
])('the rule %s can hold', (text) => {
  expect(problemsOf(text)).toEqual([])
})

it('says of a rule about a tool that only other systems have that there is nothing to hold', () => {
  expect(absentTools({ ...noRules, deny: ['WebSearch', 'Bash(rm *)'] })).toEqual([
    'permissions.deny: "WebSearch" is about a tool that Coppice does not have.',
  ])
})

it('holds for all tools of a server that a rule names alone', () => {
  expect(matchRules({ ...noRules, deny: ['mcp__issues'] }, subjectOf('mcp__issues__close'))?.effect).toBe('deny')
  expect(matchRules({ ...noRules, deny: ['mcp__issues'] }, subjectOf('mcp__other__close'))).toBeUndefined()
})

it('every rule that is said to hold for a file holds for some path, and every other one for none', () => {
  const part = fc.constantFrom('a', '.', '..', '', '*', '**', '?', '[.]', '{.,b}', '@(.|..)', '*(.)', 'a.')
  const pattern = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
  const names = ['a', 'b', 'a.', '.a', 'ab', '..a', '...', '.', '..', '']
  const folders = names.map((name) => `/${name}`)
  const deeper = folders.flatMap((one) => folders.map((other) => one + other))
  const paths = ['/', ...folders, ...deeper, ...deeper.flatMap((one) => folders.map((other) => one + other))]
  const canonical = paths.filter(
    (path) =>
      path === '/' ||
      !path
        .slice(1)
        .split('/')
        .some((one) => /^\.{0,2}$/.test(one)),
  )
  fc.assert(
    fc.property(pattern, (given) => {
      fc.pre(given.replace(/^\.\//, '').split('/').length <= 3 && given !== '')
      const text = `Edit(${given})`
      const fitting = canonical.some(
        (path) =>
          matchRules(
            { ...noRules, deny: [text] },
            {
              tool: toolFacts.edit_file,
              access: { reads: [], writes: [path as VirtualPath], lists: [], command: null },
            },
          )?.effect === 'deny',
      )
      if (fitting && !/(^|\/)\.\.(\/|$)/.test(given)) expect([given, problemsOf(text)]).toEqual([given, []])
      if (!fitting) expect([given, problemsOf(text).length]).toEqual([given, 1])
    }),
    { numRuns: 500 },
  )
})

it('every rule that is proposed can hold', () => {
  const word = fc.constantFrom('npm', 'run', 'a b', '|', '&&', '*', "it's", '$x', '>', '#', '~', '(', 'x=1', '!', '-m')
  const line = fc
    .array(word, { minLength: 1, maxLength: 4 })
    .map((words) => words.map((one) => `'${one.replace("'", "'\\''")}'`).join(' '))
  const path = fc.constantFrom('/a', '/a b', '/ a', '/a/..b', '/a\\b', '/a, b', '/[x', '/{a', '/a.', '/a/b ')
  const subject = fc.oneof(
    line.map((command) => subjectOf('execute', { command })),
    path.map((file_path) => subjectOf('edit_file', { file_path })),
    fc.constant(subjectOf('mcp__issues__close')),
  )
  fc.assert(
    fc.property(subject, (about) => {
      for (const allow of proposeRules(about)) expect(ruleProblems({ ...noRules, allow }, known)).toEqual([])
    }),
    { numRuns: 300 },
  )
})

it('a setting that asks for files or commands that cannot be is named, and so is one that a rule takes away', () => {
  const settings: InterruptSettings = new Map<string, InterruptSetting>([
    ['Write', { allowed_decisions: ['approve'], when: ['../x'] }],
    ['execute', { allowed_decisions: ['approve'], when: ['curl * | sh', 'git *'] }],
    ['task', true],
  ])
  expect(settingProblems(settings, noServerTools)).toEqual([
    expect.stringContaining('interrupt_on: Write: when "../x": Patterns begin at the folder'),
    expect.stringContaining('interrupt_on: execute: when "curl * | sh": No single command'),
  ])
  expect(passedSettings(settings, { ...noRules, allow: ['Bash(npm test)', 'Task'] })).toEqual([
    'interrupt_on: task could never ask, because permissions.allow has "Task". Remove one of them.',
  ])
  expect(findToolFacts('task').effect).toBe('agents')
})
