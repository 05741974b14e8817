import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import type { DirectClient } from '#host/wiring/direct-client.ts'
import type { ActionRequest, Interrupt } from '#shared/model/calls/interrupt.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import type { Keyboard } from '../screen/keyboard.ts'
import { createLiveRegion } from '../screen/live-region.ts'
import { createPaint } from '../screen/paint.ts'
import { openTestTerminal } from '../screen/terminal.testkit.ts'
import { askPerson } from './ask-person.ts'
import type { Dialogue } from './dialogue.ts'

const hostile = '\u001b[2J\u202Eevil'

function interruptOf(request: Partial<ActionRequest>, allowed: readonly string[] = ['approve', 'edit', 'reject']) {
  const whole = {
    ...{ callId: 'c', name: 'execute', args: { command: 'npm test' } },
    ...{ description: 'Run a command.', rule: 'default: commands ask', risk: 'low', ...request },
  } as unknown as ActionRequest
  const interrupt = {
    ...{ id: 'i', threadId: 't', agent: 'main', action_requests: [whole] },
    review_configs: [{ callId: 'c', action_name: whole.name, allowed_decisions: allowed }],
  } as unknown as Interrupt
  return { interrupt, request: whole }
}

/** A dialogue with a person who presses these keys and types these lines, and what they see. */
function openDialogue(keys: readonly string[], lines: readonly (string | null)[] = [], editor = 'true') {
  const terminal = openTestTerminal(80, 40)
  const [pressed, typed] = [[...keys], [...lines]]
  const waits: number[] = []
  const client = {
    approvals: {
      preview: vi.fn(async () => ({ kind: 'arguments' })),
      proposeRules: vi.fn(async () => ({ proposals: [['execute(npm test)'], ['execute(npm *)']], note: null })),
      previewRules: vi.fn(async () => ({ matched: 1, of: 2, examples: [] })),
    },
    settings: { changeRules: vi.fn() },
  }
  const keyboard: Keyboard = {
    async press() {
      const key = pressed.shift()
      if (key === undefined) throw new Error('Nobody presses a key any more.')
      return key
    },
    line: async () => typed.shift() ?? null,
    lend: (program) => program(),
    [Symbol.dispose]: () => undefined,
  }
  const dialogue: Dialogue = {
    region: createLiveRegion(terminal.screen, createPaint(8), terminal.write),
    keyboard,
    client: client as unknown as DirectClient,
    projectId: 'p' as ProjectId,
    columns: terminal.screen.columns,
    rows: terminal.screen.rows,
    environment: { EDITOR: editor },
    wait: async (milliseconds) => void waits.push(milliseconds),
    signal: new AbortController().signal,
  }
  return { dialogue, client, waits, seen: async () => (await terminal.rows()).join('\n') }
}

const ask = (dialogue: Dialogue, { interrupt, request }: ReturnType<typeof interruptOf>) =>
  askPerson(dialogue, interrupt, request, '', async () => null)

it('shows the whole call harmlessly, and waits before its keys count', async () => {
  const { dialogue, waits, seen } = openDialogue(['x', 'yyy', '1', 'y'])
  const decision = await ask(dialogue, interruptOf({ args: { command: `rm ${hostile}`, options: ['no'] } }))
  expect(decision).toEqual({ type: 'approve', callId: 'c' })
  expect(waits).toEqual([400])
  expect(await seen()).toContain('$ rm \\u{001b}[2J\\u{202e}evil')
  expect(await seen()).toContain('Not what they look like:')
})

it('rejects with a reason, and goes back when there is none after all', async () => {
  const { dialogue } = openDialogue(['n', 'n'], [null, 'too risky'])
  expect(await ask(dialogue, interruptOf({}))).toEqual({ type: 'reject', callId: 'c', message: 'too risky' })
})

it('leaves a call for later', async () => {
  expect(await ask(openDialogue(['s']).dialogue, interruptOf({}))).toBeNull()
})

it('says what is wrong with edited JSON, keeps the text, and asks about the new call', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-editor-'))
  const editor = join(folder, 'editor.sh')
  writeFileSync(
    editor,
    'if grep -q broken "$1"; then printf \'{"path":"/b"}\' > "$1"; else printf \'{broken\' > "$1"; fi',
  )
  const { dialogue, client, seen } = openDialogue(['e', 'e', 'y'], [], `sh ${editor}`)
  const decision = await ask(dialogue, interruptOf({ name: 'delete', args: { path: '/a' } }))
  expect(decision).toEqual({ type: 'edit', callId: 'c', args: { path: '/b' } })
  expect(await seen()).toContain('This is not a JSON object. Your text is kept.')
  expect(client.approvals.preview).toHaveBeenLastCalledWith(expect.objectContaining({ args: { path: '/b' } }))
})

it('says why a decision is refused, and asks again with the edit kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-editor-'))
  const editor = join(folder, 'editor.sh')
  writeFileSync(editor, 'printf ls > "$1"')
  const { dialogue, seen } = openDialogue(['e', 'y', 'y'], [], `sh ${editor}`)
  const { interrupt, request } = interruptOf({})
  const answers: (string | null)[] = ['A rule forbids ls.', null]
  const settle = vi.fn(async () => answers.shift() ?? null)
  const edited = { type: 'edit', callId: 'c', args: { command: 'ls' } }
  expect(await askPerson(dialogue, interrupt, request, '', settle)).toEqual(edited)
  expect(settle.mock.calls).toEqual([[edited], [edited]])
  expect(await seen()).toContain('This was refused: A rule forbids ls. Your edit is kept.')
})

it('keeps every key of the prompt in sight on a narrow screen', async () => {
  const { dialogue } = openDialogue(['s'])
  const drawn = vi.spyOn(dialogue.region, 'draw')
  await ask({ ...dialogue, columns: () => 30 }, interruptOf({}))
  const rows = drawn.mock.calls.at(-1)?.[0].map((row) => row.map(({ text }) => text).join('')) ?? []
  expect(rows.length).toBeGreaterThan(1)
  expect(rows.every((row) => row.length < 30)).toBe(true)
  expect(rows.join(' ')).toContain('? help')
})

it('shows the answers of an external agent behind numbers, and decides with the chosen one', async () => {
  const answers = [
    { id: 'acceptEdits', name: 'Yes, and accept edits', allows: true, remembered: true },
    { id: 'plan', name: 'No, keep \u001b[2Jplanning', allows: false, remembered: false },
  ]
  const { dialogue, seen } = openDialogue(['?', '3', '2'])
  const asked = interruptOf({ name: 'agent_command', answers })
  expect(await ask(dialogue, asked)).toEqual({ type: 'reject', callId: 'c', answer: 'plan' })
  expect(await seen()).toContain('1 Yes, and accept edits  (it remembers this itself and may not ask again)')
  expect(await seen()).toContain('2 No, keep \\u{001b}[2Jplanning')
  expect(await seen()).toContain('1–2 its own answers')
  expect(await ask(openDialogue(['1']).dialogue, asked)).toEqual({
    type: 'approve',
    callId: 'c',
    answer: 'acceptEdits',
  })
})

it('names an editor that fails, and changes nothing', async () => {
  const { dialogue, seen } = openDialogue(['e', 'y'], [], 'false')
  expect(await ask(dialogue, interruptOf({}))).toEqual({ type: 'approve', callId: 'c' })
  expect(await seen()).toContain('The editor false ended with exit code 1.')
})

it('writes a rule only after it was shown and confirmed', async () => {
  const back = openDialogue(['a', '2', 'n', 's'])
  expect(await ask(back.dialogue, interruptOf({}))).toBeNull()
  expect(back.client.settings.changeRules).not.toHaveBeenCalled()
  expect(await back.seen()).toContain('execute(npm *)')
  const confirmed = openDialogue(['a', '2', 'y'])
  expect(await ask(confirmed.dialogue, interruptOf({}))).toEqual({ type: 'approve', callId: 'c' })
  expect(confirmed.client.settings.changeRules).toHaveBeenCalledWith({ effect: 'allow', add: ['execute(npm *)'] })
})

it('offers no rule and no approval that is not allowed', async () => {
  const { dialogue, seen } = openDialogue(['y', 'a', 'n'], [''])
  expect(await ask(dialogue, interruptOf({}, ['reject']))).toEqual({ type: 'reject', callId: 'c' })
  expect(await seen()).not.toContain('approve')
})

it('answers a question by a number or in words', async () => {
  const question = { name: 'ask_user', args: { question: 'Which?', options: ['This', 'That'] } }
  const chosen = await ask(openDialogue(['9', '2']).dialogue, interruptOf(question, ['respond']))
  expect(chosen).toEqual({ type: 'respond', callId: 'c', message: 'That' })
  const typed = await ask(openDialogue(['t'], ['Neither']).dialogue, interruptOf(question, ['respond']))
  expect(typed).toEqual({ type: 'respond', callId: 'c', message: 'Neither' })
  const many = {
    name: 'ask_user',
    args: { question: 'Which?', options: Array.from({ length: 200 }, (_, at) => `o${at}`) },
  }
  const numbered = await ask(openDialogue(['t'], ['120']).dialogue, interruptOf(many, ['respond']))
  expect(numbered).toEqual({ type: 'respond', callId: 'c', message: 'o119' })
})

it('approves a plan in a mode, or says what should be different', async () => {
  const plan = { name: 'present_plan', args: { plan: '1. Change it' }, allowable: false } as const
  expect(await ask(openDialogue(['9', '2']).dialogue, interruptOf(plan))).toEqual({
    ...{ type: 'approve', callId: 'c', mode: 'auto-edit' },
  })
  expect(await ask(openDialogue(['y']).dialogue, interruptOf(plan))).toEqual({ type: 'approve', callId: 'c' })
  const changes = { type: 'reject', callId: 'c', message: 'more tests' }
  expect(await ask(openDialogue(['n'], ['more tests']).dialogue, interruptOf(plan))).toEqual(changes)
  const folder = mkdtempSync(join(tmpdir(), 'coppice-editor-'))
  const editor = join(folder, 'editor.sh')
  writeFileSync(editor, 'echo "1. Mine" > "$1"')
  expect(await ask(openDialogue(['e', '1'], [], `sh ${editor}`).dialogue, interruptOf(plan))).toEqual({
    ...{ type: 'edit', callId: 'c', args: { plan: '1. Mine' }, mode: 'ask' },
  })
})

const effects = {
  ...{ exit_code: 1, output: `${'line\n'.repeat(30)}token=abc`, hosts_refused: ['a.example'], duration_ms: 1200 },
  ...{ changes: { written: ['/a', '/b'], deleted: ['/c'], renamed: [] }, ignored_changes: 2, secrets: [[156, 159]] },
} as unknown as NonNullable<ActionRequest['effects']>

it('shows what a tried call did, and keeps it', async () => {
  const { dialogue, seen } = openDialogue(['v', 'y'])
  expect(await ask(dialogue, interruptOf({ effects }))).toEqual({ type: 'approve', callId: 'c' })
  const text = await seen()
  expect(text).toContain('│ line')
  expect(text).toContain('exit 1 · 1.2 s · changed 2 files, deleted 1')
  expect(text).toContain('It could not reach a.example')
  expect(text).toContain('looks like a key or a token')
})

it('keeps some files of a tried call, and says which numbers are wrong', async () => {
  const { dialogue, seen } = openDialogue(['f', 'f'], [null, '7', '1, 3'])
  const decision = await ask(dialogue, interruptOf({ effects }))
  expect(decision).toEqual({ type: 'approve', callId: 'c', paths: ['/c', '/b'] })
  expect(await seen()).toContain('Write numbers from 1 to 3, as in 1 3-5.')
})

it('runs a tried call again as edited or with its hosts, and drops it', async () => {
  const again = { type: 'edit', callId: 'c', args: { command: 'npm test' }, hold: true }
  expect(await ask(openDialogue(['h']).dialogue, interruptOf({ effects }))).toEqual({ ...again, hosts: ['a.example'] })
  expect(await ask(openDialogue(['e', 'y']).dialogue, interruptOf({ effects }))).toEqual(again)
  const dropped = await ask(openDialogue(['n'], ['no']).dialogue, interruptOf({ effects }))
  expect(dropped).toEqual({ type: 'reject', callId: 'c', message: 'no' })
})

it('keeps or drops an edit that was tried, and keeps an edited one without another try', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-editor-'))
  const editor = join(folder, 'editor.sh')
  writeFileSync(editor, 'printf \'{"file_path":"/a","content":"b"}\' > "$1"')
  const edit = {
    ...{ name: 'write_file', args: { file_path: '/a', content: 'a' } },
    effects: { ...effects, exit_code: null, changes: { written: ['/a'], deleted: [], renamed: [] }, secrets: [] },
  } as unknown as Partial<ActionRequest>
  const kept = openDialogue(['y'])
  expect(await ask(kept.dialogue, interruptOf(edit))).toEqual({ type: 'approve', callId: 'c' })
  expect(await kept.seen()).toContain('main wrote a file – look at what it did')
  expect(await kept.seen()).not.toMatch(/exit|signal|│/)
  expect(await ask(openDialogue(['n'], ['']).dialogue, interruptOf(edit))).toEqual({ type: 'reject', callId: 'c' })
  const { dialogue, client } = openDialogue(['e', 'y'], [], `sh ${editor}`)
  const args = { file_path: '/a', content: 'b' }
  expect(await ask(dialogue, interruptOf(edit))).toEqual({ type: 'edit', callId: 'c', args })
  expect(client.approvals.preview).toHaveBeenLastCalledWith(expect.objectContaining({ args }))
})

it('prints no more than the screen holds, and all of it on demand', async () => {
  const files = [...Array(7).keys()].map((index) => `/src/file-${index}.ts`)
  const lines = [...Array(20).keys()].map((line) => `+line ${line}`)
  const preview = {
    ...{ kind: 'files', more: 0, foldersOnly: false, problem: null },
    files: files.map((path) => ({
      ...{ path, change: { path, kind: 'modify', added: 20, removed: 0, binary: false }, truncated: false },
      hunks: [{ oldStart: 1, newStart: 1, lines }],
    })),
  }
  const changed = { ...effects, changes: { written: files, deleted: ['/gone'], renamed: [] } }
  for (const keys of [['s'], ['v', 's']]) {
    const { dialogue, client, seen } = openDialogue(keys)
    client.approvals.preview.mockResolvedValue(preview)
    await ask(dialogue, interruptOf({ effects: changed as unknown as typeof effects }))
    const rows = (await seen()).split('\n')
    if (keys.length === 1) expect(rows.length).toBeLessThanOrEqual(40)
    expect(rows.filter((row) => row.includes('+line')).length).toBe(keys.length === 1 ? 0 : 140)
    expect(rows.join('\n')).toContain(keys.length === 1 ? '/gone  deleted' : '/src/file-6.ts  +20')
  }
})
