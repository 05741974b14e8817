import { expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import { noUsage } from '#shared/model/models/usage.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import { plainText } from '../screen/spans.ts'
import { openTestTerminal } from '../screen/terminal.testkit.ts'
import { createLayout } from './lay-out.ts'
import { liveRows } from './live-rows.ts'
import { createTextStream } from './text-stream.ts'

const root = 'main' as ThreadId

/** A family with a main agent that waits for `count` others, which run a command each. */
function stateOf(count: number): ProjectState {
  const call = (name: string, input: object) =>
    new Map([['c', { name, input, state: { kind: 'running' }, startedAt: 1000 }]])
  const thread = (id: string, parent: object | null, calls: object) =>
    [id, { id, agent: id, parent, calls, status: 'working', runStartedAt: 0, contextTokens: 50_000 }] as const
  const children = Array.from({ length: count }, (_, index) => `agent-${index}`)
  return {
    threads: new Map([
      thread('main', null, call('spawn_subagents', {})),
      ...children.map((id) => thread(id, { threadId: 'main' }, call('execute', { command: 'npm test' }))),
    ]),
    children: new Map([['main', children]]),
    spending: new Map([['main', { run: { ...noUsage, inputTokens: 1500, cost: 0.123 } }]]),
  } as unknown as ProjectState
}

function rowsOf(count: number, columns = 80) {
  const { screen } = openTestTerminal(columns, 24)
  const names = ['main', ...Array.from({ length: count }, (_, index) => `agent-${index}`)]
  const layout = createLayout(
    screen,
    () => null,
    () => names,
  )
  const rows = liveRows({
    ...{ state: stateOf(count), root, now: 13_000, frame: 0, hasMarks: true, most: 3, contextWindow: 200_000, layout },
  })
  return rows.map(plainText)
}

it('says for each agent that works what it does and for how long, and what the run has taken', () => {
  expect(rowsOf(1)).toEqual([
    'main     ⠋ Waits for 1 agent · 0:12',
    'agent-0  ⠋ Running npm test · 0:12',
    '         0:13 · $0.12 · 1.5K tokens · context 25% · Ctrl+C stops',
  ])
})

it('leaves out the agents that do not fit, and says how many', () => {
  const rows = rowsOf(20)
  expect(rows).toHaveLength(5)
  expect(rows[3]?.trim()).toBe('and 18 more agents')
})

it('cuts long names on a narrow screen, and keeps them on each line', () => {
  const { screen } = openTestTerminal(40, 24)
  const layout = createLayout(
    screen,
    () => 2,
    () => ['main', 'rounding-of-totals'],
  )
  const line = [{ text: 'Edited /a/long/path/to/some/file.js and more of it' }]
  const rows = layout.lay({ agent: 'rounding-of-totals', line, kind: 'call' }).map(plainText)
  expect(rows.map((row) => row.slice(0, 8))).toEqual(rows.map(() => 'roundin…'))
  expect(rows.every((row) => row.length <= 40)).toBe(true)
})

it('lets whole lines of a reply go as it streams, and keeps the one that is being written', () => {
  const stream = createTextStream()
  const take = (text: string) => stream.take(root, 'main', text, 12).map(({ line }) => plainText(line))
  expect([take('\nThe first'), take(' line is lo'), take('ng.\nNext')]).toEqual([[], ['The first'], ['line is long.']])
  expect(plainText(stream.open.get(root)?.line ?? [])).toBe('Next')
  expect(stream.end(root, 'main')?.map(({ line }) => plainText(line))).toEqual(['Next'])
  expect(stream.end(root, 'main')).toBeNull()
})
