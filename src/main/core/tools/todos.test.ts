import { describe, expect, it } from 'vitest'
import { openWorld } from '../agent/agent-world.testkit.ts'
import { callingInTurn } from '../ports/model-client.testkit.ts'
import { formatTodos } from './todos.ts'

async function run(...calls: readonly (readonly [string, object])[]) {
  const world = await openWorld({
    script: callingInTurn(calls),
  })
  const id = await world.run('main')
  return {
    world,
    id,
    todos: world.thread(id).todos,
    results: Object.values(world.results(id)),
    outcomes: Object.values(world.outcomes(id)),
  }
}
const write = (...todos: readonly (readonly [string, string])[]) =>
  ['write_todos', { todos: todos.map(([content, status]) => ({ content, status })) }] as const
const update = (todo_index: number, status: string) => ['update_todo_status', { todo_index, status }] as const

describe('the todo list of an agent', () => {
  it('is written as a whole, updated by index and read with its indices', async () => {
    const { results, todos } = await run(write(['one', 'in_progress'], ['two', 'pending']), update(0, 'completed'), [
      'read_todos',
      {},
    ])
    expect(todos).toEqual([
      { content: 'one', status: 'completed' },
      { content: 'two', status: 'pending' },
    ])
    expect(results[2]).toBe('0. [completed] one\n1. [pending] two')
  })

  it('stays unchanged when one item has a forbidden transition', async () => {
    const { results, outcomes, todos } = await run(
      write(['one', 'pending']),
      write(['new', 'pending'], ['one', 'completed']),
    )
    expect([outcomes, todos]).toEqual([['ok', 'error'], [{ content: 'one', status: 'pending' }]])
    expect(results[1]).toBe(
      '"one" cannot go from pending to completed; from pending it can go to in_progress. The list was not changed.',
    )
  })

  it.each([
    [update(0, 'completed'), 'cannot go from pending to completed'],
    [update(5, 'in_progress'), 'There is no todo with index 5; the list has 1 (0-based).'],
    [update(-1, 'in_progress'), 'There is no todo with index -1'],
    [['update_todo_status', { todo_index: 0, status: 'done' }] as const, 'Invalid arguments for update_todo_status'],
    [
      ['update_todo_status', { todo_index: 0.5, status: 'pending' }] as const,
      'Invalid arguments for update_todo_status',
    ],
  ])('refuses %j', async (call, message) => {
    const { results, outcomes, todos } = await run(write(['one', 'pending']), call)
    expect([outcomes[1], results[1]]).toEqual(['error', expect.stringContaining(message)])
    expect(todos).toEqual([{ content: 'one', status: 'pending' }])
  })

  it('can be emptied, and says that it is empty', async () => {
    const { results, todos } = await run(write(['one', 'pending']), write())
    expect([todos, results[1]]).toEqual([[], 'The todo list is empty.'])
  })

  it('shows why a linked subagent failed', () => {
    expect(formatTodos([{ content: 'one', status: 'pending', error: 'It broke.' }])).toBe(
      '0. [pending] one (failed: It broke.)',
    )
  })
})
