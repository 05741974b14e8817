import type { Todo } from '#shared/model/todos/todo.ts'

type Plan = readonly Todo[]

/**
 * The plans that edits on their way lead through: the stored one they began with, then one after each edit. The last is shown
 * before the host has answered.
 */
export type EarlyPlans = readonly [stored: Plan, ...after: Plan[]]

/** The plan to show: the last one while the stored plan is on the way to it, otherwise the stored one. */
export function shownPlan(early: EarlyPlans | null, stored: Plan): Plan {
  return restOf(early, stored)?.at(-1) ?? stored
}

/** What is left of the way once this plan is stored. Null when nothing is, or when somebody else changed the plan. */
export function restOf(early: EarlyPlans | null, stored: Plan): EarlyPlans | null {
  if (early === null || early[0] === stored) return early
  const at = early.findLastIndex((plan, index) => index > 0 && isSamePlan(plan, stored))
  return at < 0 || at === early.length - 1 ? null : [stored, ...early.slice(at + 1)]
}

/** The way with one more edit, which makes the shown plan to this one. */
export function withEdit(early: EarlyPlans | null, stored: Plan, edited: Plan): EarlyPlans {
  return [...(restOf(early, stored) ?? [stored]), edited] as [Plan, ...Plan[]]
}

function isSamePlan(one: Plan, other: Plan): boolean {
  return (
    one.length === other.length &&
    one.every(({ content, status, error }, index) => {
      const todo = other[index]
      return todo?.content === content && todo.status === status && todo.error === error
    })
  )
}
