import { expect, it } from 'vitest'
import type { RunReport } from '#host/headless/run-report.ts'
import type { ProjectEvent } from '#host/headless/run-task.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import type { Screen } from '../screen/screen.ts'
import { createPlainPrinter, type Printer, type TextPrinterOptions } from './printer.ts'

const file: Screen = {
  isLive: false,
  colourDepth: 1,
  hasMarks: true,
  columns: () => Number.POSITIVE_INFINITY,
  rows: () => 24,
}
const agents = new Map([
  ['t', { agent: 'main', parent: null, calls: new Map() }],
  ['u', { agent: 'tests', parent: {}, calls: new Map() }],
])
const state = { threads: agents } as unknown as ProjectState

/** Everything that a plain printer writes, and the answer apart from it. */
async function printed(
  print: (printer: Printer) => void | Promise<void>,
  more: Partial<TextPrinterOptions> = {},
  { isTTY = false, screen = file }: { readonly isTTY?: boolean; readonly screen?: Screen } = {},
) {
  let [status, answer] = ['', '']
  const outputs = {
    screen,
    status: { write: (text: string) => (status += text) },
    answer: { isTTY, write: (text: string) => (answer += text) },
  }
  const options: TextPrinterOptions = {
    state: () => state,
    isVerbose: false,
    isQuiet: false,
    namesWaiting: () => true,
    hueOf: () => 3,
    names: () => ['main', 'tests'],
    ...more,
  }
  const printer = createPlainPrinter(outputs, options)
  await print(printer)
  await printer.settled()
  return { status, answer }
}

const asEvents = (events: readonly object[]) => events as unknown as readonly ProjectEvent[]
const show =
  (...events: readonly object[]) =>
  ({ event }: Printer): void => {
    for (const one of asEvents(events)) event(one)
  }

const hostile = '\u001b]52;c;ZXZpbA==\u0007\u009b2J\u202Etxt\r\nnext'
/** Characters that a terminal would act on. */
const obeyed = /[^\P{Cc}\n\t]|\p{Cf}/u

it('asks with the whole call, in visible characters that do nothing', async () => {
  const command = `${'echo long; '.repeat(40)}rm -rf ${hostile}x`
  const interrupt = { agent: hostile, action_requests: [{ callId: 'c', name: 'execute', args: { command } }] }
  const { status } = await printed(show({ type: 'interrupt.raised', threadId: 't', interrupt }))
  expect(status).toContain('rm -rf')
  expect(status).toContain('\\u{202e}')
  expect(status).not.toMatch(obeyed)
})

const result = { outcome: 'error', content: [{ type: 'text', text: hostile }] }
const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cost: null }
const report = (answer: string): RunReport =>
  ({
    type: 'run.finished',
    status: 'failed',
    message: hostile,
    threadId: 't',
    answer,
    changes: { written: [], deleted: [], renamed: [] },
    commits: [{ kind: 'commit', repository: '/', branch: hostile, id: '1234567', subject: hostile, agent: 'main' }],
    usage,
    interrupts: [],
  }) as unknown as RunReport

it.each([
  { type: 'branch.forked', parentId: 'b', name: hostile, handle: 'subagent_0' },
  { type: 'run.ended', status: 'failed', message: hostile },
  { type: 'model.retrying', reason: hostile, delayMs: 1 },
  { type: 'tool.finished', name: 'x', result, durationMs: 1 },
  { type: 'tool.finished', name: hostile, result, durationMs: 1 },
  { type: 'todos.written', todos: [{ content: hostile, status: 'pending' }] },
  { type: 'setup.changed', setup: { kind: 'failed', reason: hostile, lines: [hostile] } },
  {
    type: 'message',
    message: { role: 'assistant', content: [{ type: 'text', text: hostile }, { type: 'tool_call' }] },
  },
])('a terminal obeys nothing in $type', async (event) => {
  const { status } = await printed(show({ threadId: 't', ...event }), { isVerbose: true })
  expect(status).not.toBe('')
  expect(status).not.toMatch(obeyed)
})

// Every text is made harmless where it is measured and again where it is painted.
it('lets only its own colours through', async () => {
  const screen: Screen = { ...file, colourDepth: 8 }
  const files = [{ path: `/${hostile}`, kind: 'modify', size: 1, added: 1, removed: 1, binary: false }]
  const facts = {
    ...{ durationMs: 1, files: files as never, agents: 1, isTerminal: false, placeFlags: '' },
    ...{ branches: { merged: 0, open: 0, discarded: 0 }, failures: [{ agent: hostile, message: hostile }] },
  }
  const { status } = await printed(({ finish }) => finish(report(''), facts), {}, { screen })
  expect(status).toContain('\u001b[31m')
  // The rest after each start of a sequence is one of its own colours, and nothing else.
  const [first = '', ...rest] = status.split('\u001b')
  for (const part of [first, ...rest.map((text) => text.replace(/^\[[\d;]*m/, ''))]) expect(part).not.toMatch(obeyed)
})

it('prints the exact answer to a program, and a visible form to a terminal', async () => {
  const finish = (printer: Printer) => printer.finish(report(hostile), null)
  expect((await printed(finish)).answer).toBe(`${hostile}\n`)
  expect((await printed(finish, {}, { isTTY: true })).answer).not.toMatch(obeyed)
})

it('says whose each line is, and what a call did', async () => {
  const call = (threadId: string, callId: string, name: string, input: object, text = '', outcome = 'ok') => [
    { type: 'tool.started', threadId, callId, name, input },
    { type: 'tree.changed', threadId, callId, patch: [] },
    {
      type: 'tool.finished',
      threadId,
      callId,
      name,
      durationMs: 1200,
      result: { outcome, content: [{ type: 'text', text }] },
    },
  ]
  const countLines = async ({ callId }: { readonly callId: string | null }) =>
    callId === 'b' ? { added: 2, removed: 1 } : null
  const { status } = await printed(
    show(
      ...call('t', 'a', 'read_file', { file_path: '/src/total.js' }),
      ...call('u', 'b', 'edit_file', { file_path: '/src/total.js' }),
      ...call('u', 'c', 'execute', { command: 'npm test' }, 'not ok\nExit code 1. 1.2 s.', 'error'),
      ...call('t', 'd', 'spawn_subagents', { tasks: [] }),
    ),
    { countLines },
  )
  expect(status).toBe(
    [
      'main   • Read /src/total.js  1.2 s',
      'tests  • Edited /src/total.js  +2 −1  1.2 s',
      'tests  ✗ Ran npm test  exit 1  1.2 s',
      'tests    not ok',
      '',
    ].join('\n'),
  )
})

it('shows todos when they change, and only those', async () => {
  const todo = (content: string, status: string) => ({ content, status })
  const written = (...todos: readonly object[]) => ({ type: 'todos.written', threadId: 't', todos })
  const { status } = await printed(
    show(
      written(todo('Look', 'in_progress'), todo('Mend', 'pending')),
      written(todo('Look', 'completed'), todo('Mend', 'pending')),
      written(todo('Mend', 'in_progress')),
    ),
  )
  expect(status.trim().split('\n')).toEqual(
    ['◐ Look', '☐ Mend', '☑ Look', '◐ Mend', '✕ Look'].map((text) => `main   ${text}`),
  )
})

it('is quiet but for problems', async () => {
  const events = [
    { type: 'tool.finished', threadId: 't', callId: 'a', name: 'x', durationMs: 1, result },
    { type: 'run.ended', threadId: 'u', status: 'failed', message: 'No key.' },
  ]
  expect((await printed(show(...events), { isQuiet: true })).status).toBe('tests  failed: No key.\n')
})

it('leaves marks and raw arguments to those who can show or want them', async () => {
  const started = { type: 'tool.started', threadId: 't', callId: 'a', name: 'ls', input: { path: '/' } }
  const finished = {
    type: 'tool.finished',
    threadId: 't',
    callId: 'a',
    name: 'ls',
    durationMs: 5,
    result: { outcome: 'ok', content: [{ type: 'text', text: 'a.js' }] },
  }
  const { status } = await printed(
    show(started, finished),
    { isVerbose: true },
    { screen: { ...file, hasMarks: false } },
  )
  expect(status.split('\n')).toEqual([
    'main     ls {"path":"/"}',
    'main   * Listed /',
    'main     result after 5 ms: a.js',
    '',
  ])
})

it('says once which port a process or its branch begins to listen on', async () => {
  const changed = (ports: readonly number[], more: object = {}) => ({
    type: 'process.changed',
    threadId: 't',
    process: { id: 'process_0', threadId: 't', branchId: 'b', end: null, ports, branchPorts: [], ...more },
  })
  const { status } = await printed(
    show(
      changed([]),
      changed([3000]),
      changed([], { id: 'process_1', branchPorts: [4000] }),
      changed([80, 3000], { branchPorts: [4000] }),
      changed([80]),
      changed([], { end: {} }),
      changed([80, 3000]),
    ),
  )
  expect(status).toBe(
    [
      'process_0 listens on port 3000',
      'something in the branch of process_1 listens on port 4000',
      'process_0 listens on port 80',
      'process_0 listens on port 3000',
    ]
      .map((line) => `main   ${line}\n`)
      .join(''),
  )
})
