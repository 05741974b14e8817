import { describe, expect, it } from 'vitest'
import type { Entry, EntryBody } from '#shared/model/entry.ts'
import { replied, said, threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import { fold } from '#shared/model/fold/project.ts'
import type { BranchId, MessageId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { emptyProject, type ProjectState } from '#shared/model/project-state.ts'
import { openCalls, type ThreadState } from '#shared/model/thread.ts'
import { createConversation } from './conversation.ts'

const threadId = 'thread' as ThreadId
const callId = (id: string) => id as ToolCallId

const created = threadCreated('branch' as BranchId)
const repliedWith = (id: string, ...calls: readonly string[]) => replied(id, 'batch_task', calls)
const finished = (id: string, text: string): EntryBody => ({
  type: 'tool.finished',
  callId: callId(id),
  name: 'batch_task',
  result: { outcome: 'ok', content: [{ type: 'text', text }] },
  durationMs: 1,
  reads: [],
})
const checkpoint: EntryBody = { type: 'checkpoint', step: 1, treeHash: '' }

/**
 * All ways in which an existing conversation can change: late results, second results, results of derived calls, and
 * rewinds.
 */
const story: readonly EntryBody[] = [
  created,
  said('first'),
  repliedWith('a', 'a1', 'a2'),
  checkpoint,
  finished('a1', 'one'),
  { type: 'call.derived', callId: callId('own'), from: callId('a1'), name: 'batch_task', input: { tasks: [] } },
  said('meanwhile'),
  finished('a2', 'two'),
  { type: 'batch.started', callId: callId('own'), folder: '/results/', concurrency: 2 },
  finished('own', 'of the batch'),
  checkpoint,
  repliedWith('b', 'b1'),
  { type: 'batch.started', callId: callId('b1'), folder: '/results/', concurrency: 2 },
  finished('b1', 'first try'),
  said('second'),
  { type: 'batch.retried', callId: callId('b1') },
  finished('b1', 'second try'),
  checkpoint,
  { type: 'rewound', to: 4, files: null, conversation: true, undoes: null },
  { type: 'rewound', to: 11, files: null, conversation: true, undoes: 19 },
  {
    type: 'compacted',
    keptFrom: 'b' as MessageId,
    summary: 'Before.',
    file: '/history.md',
    pastes: [],
    messages: 3,
  },
  repliedWith('c'),
]

function statesOf(bodies: readonly EntryBody[]): readonly ThreadState[] {
  let state: ProjectState = emptyProject
  return bodies.flatMap((body, index) => {
    state = fold(state, { ...body, threadId, sequence: index + 1, at: index } as Entry)
    return state.threads.get(threadId) ?? []
  })
}

describe('conversation', () => {
  it('equals a conversation built from scratch after every change', () => {
    const kept = createConversation()
    for (const thread of statesOf(story)) expect(kept(thread)).toEqual(createConversation()(thread))
  })

  it('reuses the messages whose calls did not change', () => {
    const [before, after] = statesOf([
      created,
      said('first'),
      repliedWith('a', 'a1'),
      finished('a1', 'one'),
      said('b'),
    ]).slice(-2)
    if (!before || !after) throw new Error('nothing was folded')
    const conversation = createConversation()
    const [first, reply] = conversation(before)
    const again = conversation(after)
    expect([again[0] === first, again[1] === reply]).toEqual([true, true])
  })
})

describe('calls without a result', () => {
  it('are those of the last reply, then the loop’s own and retried batches', () => {
    const open = statesOf(story).map((thread) => openCalls(thread).map((call) => call.callId))
    expect(open.slice(2, 10)).toEqual([
      ['a1', 'a2'],
      ['a1', 'a2'],
      ['a2'],
      ['a2', 'own'],
      ['own'],
      ['own'],
      ['own'],
      [],
    ])
    expect(open.slice(14, 17)).toEqual([[], ['b1'], []])
  })
})
