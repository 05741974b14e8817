import type { ProjectSummary } from '#shared/contract/views/projects.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import { addUsage, noUsage } from '#shared/model/usage.ts'

const week = 7 * 24 * 60 * 60 * 1000

/** What a person wants to know of a project before opening it. */
export function summarizeProject({ threads }: Pick<ProjectState, 'threads'>, now: number): ProjectSummary {
  const all = [...threads.values()].filter(({ deletedAt, archived }) => deletedAt === null && !archived)
  const [latest] = all.filter(({ parent }) => !parent).sort((one, other) => other.updatedAt - one.updatedAt)
  const recent = all.filter(({ updatedAt }) => now - updatedAt < week)
  const { cost } = recent.reduce((sum, { usage }) => addUsage(sum, usage), noUsage)
  return {
    lastTask: latest?.title ?? null,
    waiting: all.reduce((sum, { interrupts }) => sum + interrupts.length, 0),
    working: all.filter(({ status }) => status === 'working' || status === 'queued').length,
    costOfWeek: cost,
  }
}
