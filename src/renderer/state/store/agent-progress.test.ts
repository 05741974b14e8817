import { expect, it } from 'vitest'
import type { EntryBody } from '#shared/model/entry.ts'
import { threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import { agentProgress } from './agent-progress.ts'
import { foldEvents, initialState } from './app-state.ts'
import { branchId, callId, created, event, messageId, threadId } from './entries.testkit.ts'

type Step = readonly [EntryBody, ThreadId?]

const call = callId('c')
const tasks = ['a', 'b', 'c']
const called = (name: string): readonly Step[] => [
  [created],
  [{ type: 'run.started' }],
  [
    {
      type: 'message',
      message: {
        role: 'assistant',
        messageId: messageId('m'),
        content: [{ type: 'tool_call', callId: call, name, input: { tasks } }],
        stopReason: 'tool_use',
      },
    },
  ],
  [{ type: 'tool.started', callId: call, name, input: { tasks } }],
]
const agent = (index: number): readonly Step[] => {
  const id = `agent-${index}` as ThreadId
  const handle = `subagent_${index}` as Handle
  const own = `branch-${index}` as BranchId
  const parent = { threadId, callId: call, handle, index, task: 'x', todoIndex: null }
  return [
    [threadCreated(own, { agent: 'x', parent, depth: 1 }), id],
    [{ type: 'branch.forked', branchId: own, parentId: branchId, ownerThreadId: id, handle, name: 'x' }, id],
    [{ type: 'run.started' }, id],
  ]
}
const ended = (index: number): Step => [
  { type: 'run.ended', status: 'done', reason: 'completed', message: '' },
  `agent-${index}` as ThreadId,
]
const progressOf = (...steps: readonly Step[]) =>
  agentProgress(
    foldEvents(
      initialState,
      steps.map(([body, thread], at) => event(at + 1, body, thread ?? threadId)),
    ).project,
  )

it('counts the tasks of a running batch, begun or not', () => {
  const batch: Step = [{ type: 'batch.started', callId: call, folder: '/b/', concurrency: 2 }]
  expect(progressOf(...called('batch_task'), batch, ...agent(0), ...agent(1), ended(1))).toEqual({ done: 1, total: 3 })
})

it('counts subagents while their call runs, but not a single one', () => {
  const spawn = called('spawn_subagents')
  expect(progressOf(...spawn, ...agent(0), ...agent(1), ended(0))).toEqual({ done: 1, total: 2 })
  expect(progressOf(...spawn, ...agent(0))).toBe(null)
  expect(
    progressOf(...spawn, ...agent(0), ...agent(1), [
      { type: 'run.ended', status: 'stopped', reason: 'user', message: '' },
    ]),
  ).toBe(null)
})
