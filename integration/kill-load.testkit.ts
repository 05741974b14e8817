import type { Call, Scenario } from '../e2e/model-server/scenario.ts'
import { type ApiRequest, taskOf, turnOf } from '../e2e/model-server/scenario.ts'

/**
 * The work of the processes that are killed: some of everything whose state must survive. Each effect outside the
 * overlay has its own key and must happen exactly once, whatever is killed and when.
 */
export const effectKeys = ['pay main', 'pay child'] as const
export const batchSize = 3

const write = (path: string, content: string): Call => ({ name: 'write_file', input: { file_path: path, content } })
const pay = (key: string): Call => ({ name: 'mcp__bank__pay', id: key.replace(' ', '-'), input: { key } })
const command = (text: string, id: string): Call => ({ name: 'execute', id, input: { command: text } })
const handles = (from: number, count: number) => Array.from({ length: count }, (_, at) => `subagent_${from + at}`)

/** The script of each agent: its calls, reply by reply. The last reply is text. */
const scripts: Readonly<Record<string, readonly (readonly Call[])[]>> = {
  main: [
    [
      write('/a.txt', 'a\n'),
      write('/memories/note.md', 'one\n'),
      write('/inputs/list.txt', 'one\n'),
      { name: 'write_todos', input: { todos: [{ content: 'load', status: 'in_progress' }] } },
    ],
    [command('echo main >> log.txt', 'command-main'), pay('pay main')],
    [{ name: 'spawn_subagents', input: { tasks: ['quick', 'careful'] } }],
    [{ name: 'merge_subagent', input: { handle: handles(0, 2) } }],
    [{ name: 'edit_file', input: { file_path: '/memories/note.md', old_string: 'one\n', new_string: 'one\ntwo\n' } }],
    [{ name: 'edit_file', input: { file_path: '/inputs/list.txt', old_string: 'one\n', new_string: 'one\ntwo\n' } }],
    [{ name: 'batch_task', input: { tasks: Array.from({ length: batchSize }, (_, at) => `item ${at}`) } }],
    [{ name: 'merge_subagent', input: { handle: handles(2, batchSize) } }],
    [{ name: 'task', input: { description: 'helper' } }],
  ],
  quick: [[write('/quick.txt', 'quick\n')]],
  careful: [[command('echo careful >> careful.txt', 'command-child'), pay('pay child')]],
  helper: [[write('/helper.txt', 'helper\n')]],
}

function repliesOf(task: string): readonly (readonly Call[])[] {
  const [kind = '', number] = task.split(' ')
  return kind === 'item' ? [[write(`/item-${number}.txt`, `${number}\n`)]] : (scripts[kind] ?? [])
}

export const obeying: Scenario = (request) => {
  if (isSummary(request)) return { text: 'What was done so far.' }
  const task = taskOf(request)
  const calls = repliesOf(task)[turnOf(request)] ?? []
  return calls.length > 0 ? { text: 'Next.', calls } : { text: `${task} is done.` }
}

export function isSummary(request: ApiRequest): boolean {
  return JSON.stringify(request.system ?? '').includes('You summarise the working')
}

/**
 * The moment at which a process is killed: an append to its journal, a piece of an apply, a request to a model, an
 * effect, or a time.
 */
export type KillPoint =
  | {
      readonly at: 'append'
      readonly side: 'before' | 'after'
      /**
       * `type`, or `type:name` for a call, of one of the appended entries. The process is killed at the `nth` of
       * them.
       */
      readonly entry: string
      readonly nth: number
    }
  | { readonly at: 'apply'; readonly pieces: number }
  /** `events` counts the events of the streamed reply that were sent; 0 kills as soon as the request arrives. */
  | { readonly at: 'request'; readonly of: string; readonly events: number }
  | { readonly at: 'effect'; readonly side: 'before' | 'after'; readonly key: (typeof effectKeys)[number] }
  /** Milliseconds after the load began. */
  | { readonly at: 'time'; readonly ms: number }
  /** The process has no memory any more, and V8 ends it, at the `nth` append. */
  | { readonly at: 'memory'; readonly nth: number }

const appended = [
  'message',
  'thread.prepared',
  'message:main',
  'tool.started:write_file',
  'tool.finished:write_file',
  'interrupt.raised',
  'interrupt.decided',
  'tool.started:execute',
  'tool.finished:execute',
  'tool.started:mcp__bank__pay',
  'tool.finished:mcp__bank__pay',
  'branch.forked:subagent_0',
  'run.ended:quick',
  'tool.finished:spawn_subagents',
  'branch.merged',
  'memory.written',
  'tool.finished:edit_file',
  'batch.started',
  'branch.forked:subagent_3',
  'run.ended:item 1',
  'tool.finished:batch_task',
  'tool.finished:task',
  'run.ended:main',
  'compaction.requested',
  'compacted',
  'apply.started',
  'apply.finished',
]
const requests = ['main 0', 'main 2', 'main 4', 'quick 0', 'careful 1', 'item 1 1', 'helper 1', 'summary']

/** Every point of a step's life, before and after it, once each. */
export const everyPoint: readonly KillPoint[] = [
  ...appended.flatMap((entry): readonly KillPoint[] => [
    { at: 'append', side: 'before', entry, nth: 1 },
    { at: 'append', side: 'after', entry, nth: 1 },
  ]),
  // The second decision of a reply, when the first is already stored.
  { at: 'append', side: 'before', entry: 'interrupt.decided', nth: 2 },
  { at: 'append', side: 'before', entry: 'tool.finished:mcp__bank__pay', nth: 2 },
  // These edits change state outside the overlay: the first a memory, the second a scratch file of the thread.
  { at: 'append', side: 'before', entry: 'tool.finished:edit_file', nth: 2 },
  { at: 'append', side: 'after', entry: 'tool.finished:edit_file', nth: 2 },
  ...[1, 4, 8, 12, 16].map((pieces): KillPoint => ({ at: 'apply', pieces })),
  ...requests.flatMap((of): readonly KillPoint[] => [
    { at: 'request', of, events: 0 },
    { at: 'request', of, events: 4 },
  ]),
  ...effectKeys.flatMap((key): readonly KillPoint[] => [
    { at: 'effect', side: 'before', key },
    { at: 'effect', side: 'after', key },
  ]),
]
