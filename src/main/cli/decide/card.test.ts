import { expect, it } from 'vitest'
import type { CallPreviewView, FileDiff } from '#shared/contract/views/files.ts'
import {
  type ActionRequest,
  type DecisionType,
  type Interrupt,
  unknownEndDecisions,
} from '#shared/model/calls/interrupt.ts'
import type { CallEffects } from '#shared/model/calls/outcome.ts'
import { plainText } from '../screen/spans.ts'
import { cardOf } from './card.ts'
import { keysOf, promptLine } from './card-keys.ts'
import { fitCard, wholeCard } from './fit-card.ts'

const base = {
  ...{ callId: 'c', description: 'It asks.', rule: 'the mode Ask', risk: 'low', riskReason: 'sandboxed' },
} as unknown as ActionRequest
const effects = {
  ...{ exit_code: 0, output: 'ok', hosts_refused: [], duration_ms: 1200, ignored_changes: 0, secrets: [] },
  changes: { written: ['/a.ts'], deleted: ['/old.ts'], renamed: [] },
} as unknown as CallEffects
const command = { ...base, name: 'execute', args: { command: 'npm test' } }
const edit = { ...base, name: 'edit_file', args: { file_path: '/a.ts', old_string: 'x', new_string: 'y' } }
const code = { ...base, name: 'run_js_code', args: { code: '1 + 1' } }
const editOnly = { written: ['/a.ts'], deleted: [], renamed: [] } as unknown as CallEffects['changes']
const nothing = { written: [], deleted: [], renamed: [] }

const diff = {
  ...{ path: '/a.ts', change: { path: '/a.ts', kind: 'modify', added: 1, removed: 1, binary: false } },
  ...{ hunks: [{ oldStart: 1, newStart: 1, lines: ['-x', '+y'] }], truncated: false },
} as unknown as FileDiff
const files: CallPreviewView = { kind: 'files', files: [diff], more: 0, foldersOnly: false, problem: null }

function textOf(
  request: ActionRequest,
  allowed: readonly DecisionType[] = ['approve', 'edit', 'reject'],
  preview: CallPreviewView = { kind: 'arguments' },
): string {
  const interrupt: Interrupt = {
    ...{ id: 'i' as Interrupt['id'], threadId: 't' as Interrupt['threadId'], agent: 'main' },
    action_requests: [request],
    review_configs: [{ callId: request.callId, action_name: request.name, allowed_decisions: allowed }],
  }
  const { lines, isCut } = fitCard(cardOf(interrupt, request, preview, ''), 80, 40)
  const prompt = promptLine(keysOf(interrupt, request, isCut).slice(0, -2))
  return [...lines, prompt].map((line) => plainText(line)).join('\n')
}

it('shows a command that was tried: header, change, output, keys', () => {
  expect(textOf({ ...command, effects }, undefined, files)).toBe(
    `main ran a command – look at what it did
  exit 0 · 1.2 s · changed 1 file, deleted 1 · asked by: the mode Ask
  $ npm test
  /old.ts  deleted
  /a.ts  +1 −1
  @@ −1 +1 @@
  -x
  +y
  │ ok
y keep · e edit and run again · n drop · f keep some files · a always`,
  )
})

it('shows an edit that was tried by its change alone', () => {
  expect(textOf({ ...edit, effects: { ...effects, exit_code: null, changes: editOnly } }, undefined, files)).toBe(
    `main edited a file – look at what it did
  1.2 s · changed 1 file · asked by: the mode Ask
  /a.ts  +1 −1
  @@ −1 +1 @@
  -x
  +y
y keep · e edit · n drop · a always allow`,
  )
})

it('shows what an edit said that was tried and changed no file, with its arguments', () => {
  const idle = { ...effects, exit_code: null, duration_ms: 3, output: 'The text is not there.', changes: nothing }
  expect(textOf({ ...edit, effects: idle })).toBe(
    `main edited a file – look at what it did
  changed no file · asked by: the mode Ask
  file_path: "/a.ts"
  old_string: "x"
  new_string: "y"
  │ The text is not there.
y keep · e edit · n drop · a always allow`,
  )
})

it('shows code that was tried with its result, and no end of a command', () => {
  const ran = { ...effects, exit_code: null, duration_ms: 5, output: '{"ok":true}', changes: nothing }
  expect(textOf({ ...code, effects: ran })).toBe(
    `main ran JavaScript – look at what it did
  changed no file · 5 ms · asked by: the mode Ask
  $ 1 + 1
  │ {"ok":true}
y keep · e edit and run again · n drop · a always allow`,
  )
})

it.each([
  ['a command', command, '  $ npm test', 'wants to run a command'],
  ['code', code, '  $ 1 + 1', 'wants to run JavaScript'],
  ['a tool of a server', { ...base, name: 'mcp__a__b', args: { n: 1 } }, '  n: 1', 'wants to use mcp__a__b'],
])('shows %s that asks before it runs', (_, request, call, wish) => {
  expect(textOf(request)).toBe(
    `main ${wish}
  Low risk: sandboxed · asked by: the mode Ask
  It asks.
${call}
y approve · e edit · n reject · a always allow`,
  )
})

it('shows what an edit would change that asks before', () => {
  expect(textOf(edit, undefined, files)).toMatch(
    /^main wants to edit a file\n[^$]*\n {2}-x\n {2}\+y\ny approve · e edit/,
  )
  const problem = { ...files, files: [], problem: 'not there' }
  expect(textOf(edit, undefined, problem)).toContain('It would fail and change nothing: not there')
})

it('shows a question with its options, and a call of an unknown outcome', () => {
  const question = { ...base, name: 'ask_user', args: { question: 'Which **one**?', options: ['This', 'That'] } }
  expect(textOf(question, ['respond'])).toBe(
    'main asks you\n  Which one?\n  1 This\n  2 That\n1–2 choose · t type an answer',
  )
  expect(textOf(command, unknownEndDecisions)).toBe(
    `main called execute, and nobody knows whether it had its effect
  Low risk: sandboxed · asked by: the mode Ask
  It asks.
  $ npm test
r run again · d mark done · u leave unknown`,
  )
})

it('shows a plan as it was written, with a key for each mode of the work', () => {
  const plan = {
    ...base,
    name: 'present_plan',
    allowable: false as const,
    args: { plan: '# Rounding\n\n1. Change it' },
  }
  expect(textOf(plan)).toBe(
    `main hands in a plan
  # Rounding
${'  '}
  1. Change it
y approve · e edit · n ask for changes · 1 approve in Ask · 2 approve in Auto-edit · 3 approve in Auto`,
  )
  const changed = { by: 'the hook plan.sh', given: { plan: 'Mine' } }
  for (const request of [
    { ...plan, changed },
    { ...base, name: 'ask_user', args: { question: 'Why?' }, changed },
  ])
    expect(textOf(request)).toContain('Changed by the hook plan.sh. The agent had sent: {"plan":"Mine"}')
})

it('cuts the change of one file at its end and an output at its beginning, and never the header', () => {
  const long = { ...files, files: [{ ...diff, hunks: [{ ...diff.hunks[0], lines: Array(60).fill('+y') }] }] }
  const output = [...Array(50).keys()].map((line) => `line ${line}`).join('\n')
  const request = { ...command, effects: { ...effects, output, changes: editOnly } }
  const interrupt = { agent: 'main', action_requests: [request], review_configs: [] } as unknown as Interrupt
  const card = cardOf(interrupt, request, long as CallPreviewView, '')
  for (const rows of [10, 20, 38, 90]) {
    const { lines, isCut } = fitCard(card, 80, rows)
    expect(lines.length, `${rows} rows`).toBeLessThanOrEqual(rows)
    expect([isCut, lines.slice(0, 3)], `${rows} rows`).toEqual([true, card.header])
    expect(plainText(lines.at(-1) ?? [])).toBe('  │ line 49')
  }
  expect(wholeCard(card).lines.length).toBe(3 + 62 + 50)
})
