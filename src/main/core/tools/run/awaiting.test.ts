import { expect, it } from 'vitest'
import { textOf } from '#shared/model/message.ts'
import { maxTasks } from '../delegate/declared-tasks.ts'
import { waitingOutput } from './awaiting.ts'

// Mutation: let code that was refused for its number wait again, which it may do for ever.
it('ends code that would wait for more tasks than a batch may have', () => {
  const round = { tasks: Array.from({ length: maxTasks - 1 }, () => 'x'), results: [] }
  const task = JSON.stringify({ description: 'x' })
  expect(waitingOutput([task], [round]).awaits).toHaveLength(1)
  const ended = waitingOutput([task, task], [round])
  expect([ended.ok, ended.awaits, textOf(ended.content)]).toEqual([
    false,
    undefined,
    `Code cannot wait for more than ${maxTasks} tasks, so it was ended. Nothing of it is kept.`,
  ])
})
