import { expect, it } from 'vitest'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { Todo } from '#shared/model/todos/todo.ts'
import type { BranchMerges } from '../../branches/branch-merges.ts'
import type { TodoList } from '../todos.ts'
import type { ToolContext } from '../tool.ts'
import type { Subagents, SubagentTask } from './delegation.ts'
import { createSpawnSubagentsTool, createTaskTool } from './subagent-tools.ts'

const context = {
  threadId: 't' as ThreadId,
  callId: 'c' as ToolCallId,
  signal: new AbortController().signal,
} as ToolContext

function open(todos: readonly Todo[], forkedBefore = false) {
  const forked: SubagentTask[] = []
  const subagents: Subagents = {
    types: [{ name: 'general-purpose', description: 'Any task.' }],
    startProblem: (type) => (type === 'general-purpose' ? undefined : `There is no subagent type "${type}".`),
    hasForked: () => forkedBefore,
    patchOf: async () => '',
    fork: (_call, tasks) => {
      forked.push(...tasks)
      return []
    },
    run: async () => [],
    begin: () => undefined,
    list: () => [],
    waitFor: async () => [],
    tell: () => 'queued',
    stop: async () => undefined,
  }
  const list: TodoList = {
    read: () => todos,
    entry: () => {
      throw new Error('Nothing is written here')
    },
  }
  const spawn = createSpawnSubagentsTool(subagents, list)
  const task = createTaskTool(subagents, {} as BranchMerges, list)
  return {
    forked,
    spawn: (...indices: number[]) =>
      spawn.run(
        spawn.schema.parse({ tasks: ['a', ...indices.map((todo_index) => ({ task: 'b', todo_index }))] }),
        context,
      ),
    task: (todo_index: number) => task.run(task.schema.parse({ description: 'a', todo_index }), context),
  }
}

const two: readonly Todo[] = [
  { content: 'x', status: 'pending' },
  { content: 'y', status: 'pending' },
]
const problem = 'There is no todo with index 2; the list has 2 (0-based). Use read_todos to see it.'

it('refuses a todo index outside the list, names the length of the list, and forks nothing', async () => {
  const world = open(two)
  for (const output of [await world.spawn(0, 2), await world.task(2)])
    expect(output).toMatchObject({ ok: false, content: [{ text: problem }] })
  expect(await open([]).task(0)).toMatchObject({
    content: [
      { text: 'There is no todo with index 0; the list is empty. Use write_todos first, or leave todo_index out.' },
    ],
  })
  expect(world.forked).toEqual([])
  expect(await world.spawn(0, 1)).toMatchObject({ ok: true })
  expect(world.forked).toHaveLength(3)
})

it('continues a call after a restart although the list is shorter now', async () => {
  const world = open(two, true)
  expect(await world.spawn(2)).toMatchObject({ ok: true })
})
