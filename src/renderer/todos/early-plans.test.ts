import { expect, it } from 'vitest'
import type { Todo } from '#shared/model/todos/todo.ts'
import { restOf, shownPlan, withEdit } from './early-plans.ts'

const plan = (...names: readonly string[]): readonly Todo[] => names.map((content) => ({ content, status: 'pending' }))
const [first, renamed, added] = [plan('a'), plan('b'), plan('b', 'c')]

// Mutation: know only the plan that the edits began with, and the last one.
it('shows the result of all edits while they arrive one after the other', () => {
  const early = withEdit(withEdit(null, first, renamed), first, added)
  const stored = [first, plan('b'), plan('b', 'c')]
  expect(stored.map((one) => shownPlan(early, one))).toEqual([added, added, added])
  const afterOne = restOf(early, stored[1] ?? [])
  expect(shownPlan(afterOne, stored[1] ?? [])).toEqual(added)
  expect(restOf(afterOne, stored[2] ?? [])).toBeNull()
})

it('shows what somebody else made of the plan', () => {
  const early = withEdit(null, first, renamed)
  expect(shownPlan(early, plan('z'))).toEqual(plan('z'))
  expect(restOf(early, plan('z'))).toBeNull()
})

it('shows an undo that leads back to an earlier plan', () => {
  const early = withEdit(null, first, renamed)
  const later = restOf(early, plan('b'))
  expect(shownPlan(later, plan('a'))).toEqual(first)
})
