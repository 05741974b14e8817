import { expect, it } from 'vitest'
import { z } from 'zod'
import { argumentProblems } from './argument-problems.ts'

const schema = z.object({
  handle: z.union([z.string(), z.array(z.string()).min(1)]),
  tasks: z.array(z.union([z.string().min(1), z.object({ task: z.string(), name: z.string().optional() })])),
})

it.each([
  [{ handle: 'a', tasks: [{}] }, 'tasks.0: task: Invalid input: expected string, received undefined'],
  [
    { handle: 5, tasks: [] },
    'handle: Invalid input: expected string, received number, or Invalid input: expected array, received number',
  ],
  [{ handle: [], tasks: [''] }, /^handle: Too small: .*; tasks\.0: Too small: /],
])('%j: what is wrong, and where', (given, words) => {
  const { error } = schema.safeParse(given)
  expect(argumentProblems(error?.issues ?? [])).toEqual(
    typeof words === 'string' ? words : expect.stringMatching(words),
  )
})
