import type { ListedLog } from '#core/journal/project-log.ts'
import type { ProjectSummary } from '#shared/contract/views/projects.ts'
import { addUsage, noUsage } from '#shared/model/models/usage.ts'

const week = 7 * 24 * 60 * 60 * 1000

/** What a person wants to know of a project before opening it. */
export function summarizeProject(log: Pick<ListedLog, 'state' | 'families'>, now: number): ProjectSummary {
  const roots = [...log.families().values()].filter(({ root }) => root.deletedAt === null && !root.archived)
  const [latest] = roots.toSorted((one, other) => other.root.updatedAt - one.root.updatedAt)
  const recent = roots.filter(({ root }) => now - root.updatedAt < week)
  const { cost } = recent.reduce((sum, { spending }) => addUsage(sum, spending?.ever ?? noUsage), noUsage)
  // Every thread that works or waits is loaded.
  const loaded = [...log.state.threads.values()].filter(({ deletedAt, archived }) => deletedAt === null && !archived)
  return {
    lastTask: latest?.root.title ?? null,
    waiting: loaded.reduce((sum, { interrupts }) => sum + interrupts.length, 0),
    working: loaded.filter(({ status }) => status === 'working' || status === 'queued').length,
    costOfWeek: cost,
  }
}
