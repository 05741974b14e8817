import { describe, expect, it } from 'vitest'
import type { Entry, EntryBody, EntryOf } from '#shared/model/entry.ts'
import { fold } from '#shared/model/fold.ts'
import type { BranchId, Handle, MessageId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { emptyProject, type ProjectState } from '#shared/model/project-state.ts'
import { createKnownCalls } from './known-calls.ts'

const root = 'root' as ThreadId
const subagent = 'subagent' as ThreadId
const other = 'other' as ThreadId
const ids = (...names: readonly string[]) => names as readonly ToolCallId[]

function created(threadId: ThreadId, above: ThreadId | null): EntryBody {
  const parent: EntryOf<'thread.created'>['parent'] = above && {
    threadId: above,
    callId: 'call' as ToolCallId,
    handle: 'subagent_0' as Handle,
    index: 0,
    task: 'Task',
    todoIndex: null,
  }
  return {
    type: 'thread.created',
    agent: 'main',
    agentType: 'main',
    title: 'Task',
    branchId: `branch of ${threadId}` as BranchId,
    parent,
    depth: parent ? 1 : 0,
    model: 'demo',
    approvalMode: 'auto',
    contextScope: 'strict',
  }
}
const replied = (callId: string) =>
  ({
    type: 'message',
    message: {
      role: 'assistant',
      messageId: callId as MessageId,
      content: [{ type: 'tool_call', callId: callId as ToolCallId, name: 'ls', input: {} }],
      stopReason: 'tool_use',
    },
  }) as const
const checkpoint: EntryBody = { type: 'checkpoint', step: 1, treeHash: '' }

function openFamily() {
  const log: { state: ProjectState } = { state: emptyProject }
  const calls = createKnownCalls(log)
  const store = (threadId: ThreadId, ...bodies: readonly EntryBody[]) => {
    for (const body of bodies) {
      const sequence = log.state.sequence + 1
      log.state = fold(log.state, { ...body, threadId, sequence, at: sequence } as Entry)
    }
  }
  store(root, created(root, null), replied('before'), checkpoint)
  store(subagent, created(subagent, root))
  store(other, created(other, null), replied('elsewhere'))
  return { log, calls, store }
}

describe('known calls', () => {
  it('are those of the whole family, stored before it was asked or since, and of no other', () => {
    const { calls, store } = openFamily()
    expect([...calls.among(subagent, ids('before', 'new', 'elsewhere'))]).toEqual(['before'])
    store(subagent, replied('new'))
    calls.stored(subagent, [replied('new')])
    expect([...calls.among(root, ids('before', 'new', 'elsewhere'))]).toEqual(['before', 'new'])
  })

  it('are gone with a rewind and back with the next', () => {
    const { calls, store, log } = openFamily()
    const checkpointed = 3
    store(root, replied('late'), checkpoint)
    const later = log.state.sequence
    expect([...calls.among(root, ids('late'))]).toEqual(['late'])
    store(root, { type: 'rewound', to: checkpointed, files: null, conversation: true, undoes: null })
    expect([...calls.among(root, ids('late', 'before'))]).toEqual(['before'])
    store(root, { type: 'rewound', to: later, files: null, conversation: true, undoes: null })
    expect([...calls.among(root, ids('late'))]).toEqual(['late'])
  })
})
