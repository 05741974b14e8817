import { type AttemptsWish, mostAttempts } from '#shared/model/calls/attempts.ts'
import { modelFamily } from '#shared/model/models/model-family.ts'
import { unknownCheck } from '../../checks/project-checks.ts'
import { priceProblem } from '../delegation/budgets.ts'
import { startProblem } from '../delegation/subagents.ts'
import type { AgentServices } from '../types/services.ts'

/**
 * Why attempts cannot be made as they are wanted, as a sentence that says what to do; undefined when they can. `model` is
 * that of the thread.
 */
export function attemptsProblem(
  services: AgentServices,
  { n, variants = [], budget, checks = [] }: AttemptsWish,
  model: string,
): string | undefined {
  if (!Number.isInteger(n) || n < 2 || n > mostAttempts)
    return `Give a number of attempts from 2 to ${mostAttempts}. One attempt is a plain run.`
  if (budget !== undefined && !(budget > 0))
    return 'A budget of nothing pays for no reply. Give an amount in US dollars, or leave the budget out.'
  if (variants.length > n)
    return `There are ${variants.length} variants for ${n} attempts. Raise n, or leave variants out.`
  const all = services.checks.definitions()
  const unknown = checks.find((name) => !all.some((one) => one.name === name))
  if (unknown !== undefined) return unknownCheck(unknown, all)
  for (const { model: named, agent } of variants) {
    const resolved = named === undefined ? undefined : resolveVariant(services, named, model)
    if (resolved?.ok === false) return resolved.error
    const problem = agent === undefined ? undefined : startProblem(services, agent)
    if (problem !== undefined) return problem
    const unpriced = resolved?.ok ? unpricedProblem(services, resolved.value, budget) : undefined
    if (unpriced !== undefined) return unpriced
  }
  return unpricedProblem(services, model, budget)
}

function unpricedProblem(services: AgentServices, model: string, budget: number | undefined): string | undefined {
  const problem = priceProblem(services, model)
  if (problem !== undefined || budget === undefined) return problem
  if (services.settings().unknownPrice !== 'refuse' || services.usualCost(model) !== null) return undefined
  return `The price of ${model} is unknown, so a budget in dollars could not hold. Set unknown_price in the settings to a price, or leave the budget out.`
}

/** The full name of a variant's model, or of the newest one of a family. */
export function resolveVariant(
  services: Pick<AgentServices, 'resolveModel' | 'newestOf'>,
  named: string,
  besides: string,
): ReturnType<AgentServices['resolveModel']> {
  const family = modelFamily(named)
  return services.resolveModel((family === null ? null : services.newestOf(family, besides)) ?? named)
}

/** The names of the checks that count: those that were asked for, else those of branches that are required, else all of branches. */
export function countedChecks({ checks }: Pick<AgentServices, 'checks'>, names: readonly string[]): readonly string[] {
  if (names.length > 0) return [...new Set(names)]
  const ofBranches = checks.definitions().filter(({ on }) => on.includes('branch'))
  const required = ofBranches.filter(({ required }) => required)
  return (required.length > 0 ? required : ofBranches).map(({ name }) => name)
}
