import { describe, expect, it } from 'vitest'
import type { Entry, EntryBody } from '#shared/model/entry.ts'
import { parentOf, replied, threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import { fold } from '#shared/model/fold/project.ts'
import type { BranchId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { emptyProject, type ProjectState } from '#shared/model/project-state.ts'
import { createUsedCallIds } from './used-call-ids.ts'

const root = 'root' as ThreadId
const subagent = 'subagent' as ThreadId
const other = 'other' as ThreadId
const ids = (...names: readonly string[]) => names as readonly ToolCallId[]

function created(threadId: ThreadId, above: ThreadId | null): EntryBody {
  const parent = above && parentOf(above, 'subagent_0')
  return threadCreated(`branch of ${threadId}` as BranchId, { parent, depth: parent ? 1 : 0 })
}
const repliedWith = (call: string) => replied(call, 'ls', [call])
const checkpoint: EntryBody = { type: 'checkpoint', step: 1, treeHash: '' }

function openFamily() {
  const log: { state: ProjectState } = { state: emptyProject }
  const calls = createUsedCallIds(log)
  const store = (threadId: ThreadId, ...bodies: readonly EntryBody[]) => {
    for (const body of bodies) {
      const sequence = log.state.sequence + 1
      log.state = fold(log.state, { ...body, threadId, sequence, at: sequence } as Entry)
    }
  }
  store(root, created(root, null), repliedWith('before'), checkpoint)
  store(subagent, created(subagent, root))
  store(other, created(other, null), repliedWith('elsewhere'))
  return { log, calls, store }
}

describe('used call ids', () => {
  it('are those of the whole family, including later ones, and of no other family', () => {
    const { calls, store } = openFamily()
    expect([...calls.among(subagent, ids('before', 'new', 'elsewhere'))]).toEqual(['before'])
    store(subagent, repliedWith('new'))
    calls.stored(subagent, [repliedWith('new')])
    expect([...calls.among(root, ids('before', 'new', 'elsewhere'))]).toEqual(['before', 'new'])
  })

  it('disappear with a rewind and return with its redo', () => {
    const { calls, store, log } = openFamily()
    const checkpointed = 3
    store(root, repliedWith('late'), checkpoint)
    const later = log.state.sequence
    expect([...calls.among(root, ids('late'))]).toEqual(['late'])
    store(root, { type: 'rewound', to: checkpointed, files: null, conversation: true, undoes: null })
    expect([...calls.among(root, ids('late', 'before'))]).toEqual(['before'])
    store(root, { type: 'rewound', to: later, files: null, conversation: true, undoes: null })
    expect([...calls.among(root, ids('late'))]).toEqual(['late'])
  })
})
