import { describe, expect, it } from 'vitest'
import type { EntryBody } from '#shared/model/entry.ts'
import type { Handle, ThreadId } from '#shared/model/ids.ts'
import { foldEvents, initialState } from './app-state.ts'
import { agentReply, callId, created, event, threadId, userMessage } from './entries.testkit.ts'
import { activeThread, familyUsage, rootThreads } from './selectors.ts'
import { showThread } from './ui-state.ts'

const helper = 'helper' as ThreadId
const ended: EntryBody = { type: 'run.ended', status: 'done', reason: 'completed', message: '' }
const usage = { modelCalls: 1, inputTokens: 7, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cost: 0 }

describe('a subagent that a rewind removed', () => {
  const parent = {
    threadId,
    callId: callId('spawn'),
    handle: 'subagent_0' as Handle,
    index: 0,
    task: '',
    todoIndex: null,
  }
  const state = foldEvents({ ...initialState, ui: showThread(initialState.ui, helper) }, [
    event(1, created),
    event(2, userMessage('u', 'go')),
    event(3, agentReply('a', '', ['spawn', 'spawn_subagents'])),
    event(4, { ...created, parent, depth: 1 } as EntryBody, helper),
    event(5, { type: 'usage', usage, model: 'demo' }, helper),
    event(6, ended, helper),
    event(7, { type: 'rewound', to: 1, files: [], conversation: true, undoes: null }),
  ])

  it('is replaced in the window by the nearest agent above it', () => {
    expect(activeThread(state)?.id).toBe(threadId)
  })

  it('still counts in the cost', () => {
    expect(familyUsage(state)).toEqual(usage)
  })
})

it('puts the thread first that was begun last, also of two that changed in the same millisecond', () => {
  const [first, second] = ['first' as ThreadId, 'second' as ThreadId]
  const at = (sequence: number, id: ThreadId) => ({ ...event(sequence, created, id), at: 1_000 })
  const state = foldEvents(initialState, [at(1, first), at(2, second)] as Parameters<typeof foldEvents>[1])
  expect(rootThreads(state).map(({ id }) => id)).toEqual([second, first])
})
