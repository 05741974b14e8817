import { describe, expect, it } from 'vitest'
import type { Entry, EntryBody } from '../entry.ts'
import { replied, said, threadCreated } from '../entry-bodies.testkit.ts'
import { fold } from '../fold/project.ts'
import type { BranchId, MessageId, ThreadId, ToolCallId } from '../ids.ts'
import { emptyProject } from '../project-state.ts'
import type { VirtualPath } from '../virtual-path.ts'
import { checkpointBefore, checkpointBeforeRun, checkpointRows } from './checkpoints.ts'

const threadId = 'thread' as ThreadId
const branchId = 'branch' as BranchId
const callId = (id: string) => id as ToolCallId

const created = threadCreated(branchId)
const repliedWith = (id: string, ...calls: readonly string[]) => replied(id, 'write_file', calls)
const checkpoint = (treeHash: string): EntryBody => ({ type: 'checkpoint', step: 1, treeHash })
const wrote = (call: string, path: string, treeHash: string): readonly EntryBody[] => [
  { type: 'tree.changed', branchId, callId: callId(call), patch: [[path as VirtualPath, [null, null]]] },
  checkpoint(treeHash),
]
const ended: EntryBody = { type: 'run.ended', status: 'done', reason: 'completed', message: '' }

function stateAfter(...bodies: readonly EntryBody[]) {
  const entries = bodies.map((body, index) => ({ ...body, threadId, sequence: index + 1, at: index }) as Entry)
  return entries.reduce(fold, emptyProject)
}
const pastAfter = (...bodies: readonly EntryBody[]) => {
  const past = stateAfter(...bodies).past.threads.get(threadId)
  if (!past) throw new Error('nothing was kept')
  return past
}

describe('checkpoints', () => {
  const story = [
    created,
    said('first'),
    repliedWith('a', 'w1', 'w2'),
    checkpoint(''),
    ...wrote('w1', '/a', 'A'),
    ...wrote('w2', '/b', 'AB'),
    repliedWith('b'),
    checkpoint('AB'),
    ended,
    said('second'),
    repliedWith('c'),
    checkpoint('AB'),
    ended,
  ]

  it('have one main row for each message and batch of writes, and a row for every step', () => {
    const rows = checkpointRows(pastAfter(...story))
    expect(rows.filter(({ main }) => main).map(({ to, mark, changed }) => [to, mark.kind, ...changed])).toEqual([
      [1, 'message'],
      [8, 'step', '/a', '/b'],
      [11, 'message'],
      [15, 'end'],
    ])
    expect(rows.map(({ to }) => to)).toEqual([1, 4, 6, 8, 10, 11, 14, 15])
  })

  it('are found before what a person said, even after a rewind took it away', () => {
    const rewound: EntryBody = { type: 'rewound', to: 1, files: null, conversation: true, undoes: null }
    const past = pastAfter(...story, rewound)
    expect(checkpointBefore(past, 'second' as MessageId)).toBe(11)
    expect(checkpointBefore(past, 'a' as MessageId)).toBeUndefined()
    expect([checkpointBeforeRun(past, 11), checkpointBeforeRun(past, 15)]).toEqual([1, 11])
    expect(checkpointRows(past).slice(-2)).toMatchObject([{ to: 15, mark: { kind: 'before_rewind' } }, { to: 16 }])
    expect(checkpointRows(past).at(-1)).toMatchObject({ to: 16, mark: { kind: 'rewind' }, main: true })
  })

  it("leave the cost and a person's choices as they are", () => {
    const usage = { modelCalls: 1, inputTokens: 9, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cost: 1 }
    const state = stateAfter(
      ...story,
      { type: 'usage', usage, model: 'demo' },
      { type: 'thread.configured', model: 'other', approvalMode: 'ask' },
      { type: 'rewound', to: 1, files: null, conversation: true, undoes: null },
    )
    const thread = state.threads.get(threadId)
    expect(thread).toMatchObject({ messages: [], model: 'other', approvalMode: 'ask', usage })
  })
})
