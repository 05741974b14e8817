import { expect, it } from 'vitest'
import type { Entry, EntryBody } from '../entry.ts'
import { fold } from '../fold/project.ts'
import type { BranchId, Handle, MessageId, ThreadId, ToolCallId } from '../ids.ts'
import { emptyProject } from '../project-state.ts'
import { answerOfRow, batchRows, batchTasks } from './batch.ts'

const root = 'root' as ThreadId
const callId = 'call' as ToolCallId
type Step = EntryBody & { readonly threadId?: ThreadId }

const thread = (id: string, index: number | null): readonly Step[] => [
  {
    type: 'thread.created',
    threadId: id as ThreadId,
    agent: id,
    agentType: 'main',
    title: id,
    branchId: id as BranchId,
    parent:
      index === null
        ? null
        : { threadId: root, callId, handle: id as Handle, index, task: `task ${index}`, todoIndex: null },
    depth: index === null ? 0 : 1,
    model: 'm',
    approvalMode: 'auto',
    contextScope: 'strict',
  },
  {
    type: 'branch.forked',
    branchId: id as BranchId,
    parentId: null,
    ownerThreadId: id as ThreadId,
    handle: id as Handle,
    name: id,
  },
]
const ended = (id: string, status: 'done' | 'failed' | 'stopped', reason: 'completed' | 'user' | 'budget'): Step => ({
  type: 'run.ended',
  threadId: id as ThreadId,
  status,
  reason,
  message: `${id} ${status}`,
})
const batch: readonly Step[] = [
  ...thread('root', null),
  {
    type: 'message',
    message: {
      role: 'assistant',
      messageId: 'm' as MessageId,
      stopReason: 'tool_use',
      content: [{ type: 'tool_call', callId, name: 'batch_task', input: { tasks: ['a', 'b', 'c', 'd', 'e'] } }],
    },
  },
  { type: 'batch.started', callId, folder: '/batch_results/x/', concurrency: 2 },
  ...['done', 'failed', 'user', 'budget'].flatMap((id, index) => thread(id, index)),
  ended('done', 'done', 'completed'),
  ended('failed', 'failed', 'completed'),
  ended('user', 'stopped', 'user'),
  ended('budget', 'stopped', 'budget'),
]
const finished = (outcome: 'ok' | 'cancelled'): Step => ({
  type: 'tool.finished',
  callId,
  name: 'batch_task',
  result: { outcome, content: [] },
  durationMs: 1,
  reads: [],
})
const rowsAfter = (...steps: readonly Step[]) => {
  const entries = [...batch, ...steps].map((step, index) => ({
    threadId: root,
    ...step,
    sequence: index + 1,
    at: index,
  }))
  return batchRows((entries as Entry[]).reduce(fold, emptyProject), root, callId)
}
const statuses = (...steps: readonly Step[]) => rowsAfter(...steps).map(({ status }) => status)

it('a row shows the state of its task during the batch and its outcome afterwards', () => {
  expect(statuses()).toEqual(['ok', 'failed', 'cancelled', 'failed', 'queued'])
  expect(statuses(finished('ok'))).toEqual(['ok', 'failed', 'cancelled', 'failed', 'skipped'])
  expect(statuses(finished('cancelled')).at(-1)).toBe('cancelled')
  expect(rowsAfter(finished('ok')).map(answerOfRow)).toEqual([
    '',
    'failed failed',
    'Stopped.',
    'budget stopped',
    'Not started: a budget was spent before.',
  ])
})

it('a retry sets all unsuccessful tasks back to waiting, and a new subagent replaces the old one', () => {
  const retried: Step = { type: 'batch.retried', callId }
  expect(statuses(finished('ok'), retried)).toEqual(['ok', 'queued', 'queued', 'queued', 'queued'])
  const again = [finished('ok'), retried, ...thread('new', 1), ended('new', 'done', 'completed')]
  expect(statuses(...again)).toEqual(['ok', 'ok', 'queued', 'queued', 'queued'])
  expect(statuses(...again, finished('cancelled'))).toEqual(['ok', 'ok', 'cancelled', 'failed', 'cancelled'])
  expect(rowsAfter(...again)[1]?.thread?.id).toBe('new')
})

it('tasks can be texts or records, and missing fields get defaults', () => {
  expect(batchTasks({ tasks: ['a', { description: 'b', id: 'x', type: 't' }] })).toEqual([
    { id: '0', type: 'general-purpose', description: 'a' },
    { id: 'x', type: 't', description: 'b' },
  ])
  expect(batchTasks({})).toEqual([])
})
