import { addUsage, knownCostOf, noUsage, tokensOf, type Usage } from '../models/usage.ts'
import type { ProjectUsage, UsageBatch, UsageReport, UsageRow, UsageThread } from './usage-report.ts'

/** By what the usage of one project can be added up. */
export const usageGroupings = ['day', 'thread', 'agent', 'branch', 'batch', 'run', 'model'] as const
export type UsageGrouping = (typeof usageGroupings)[number]

/** By what the usage of all projects can be added up. */
export const projectGroupings = ['project', 'day', 'model'] as const
export type ProjectGrouping = (typeof projectGroupings)[number]

/** Rows that belong together, with their sum. What does not apply to the grouping is null. */
export interface UsageGroup {
  readonly key: string
  /** The name of what it is grouped by; null for a day and a batch. */
  readonly name: string | null
  /** The title of the root thread, for what is a part of one. */
  readonly thread: string | null
  readonly day: number | null
  readonly run: number | null
  /** Null also for everything that no batch started. */
  readonly batch: UsageBatch | null
  readonly usage: Usage
}

const nothing = { name: null, thread: null, day: null, run: null, batch: null }

/** A row with the names that it refers to. */
interface NamedRow {
  readonly row: UsageRow
  readonly thread: UsageThread
  readonly title: string
  readonly batch: UsageBatch | null
}

/** Looks the names of the rows up. Rows whose thread the report does not name are left out; it names them all. */
function nameRows({ rows, threads, batches }: UsageReport): readonly NamedRow[] {
  const byId = new Map(threads.map((thread) => [thread.id, thread]))
  const batchById = new Map(batches.map((batch) => [batch.id, batch]))
  return rows.flatMap((row) => {
    const thread = byId.get(row.threadId)
    if (!thread) return []
    const title = byId.get(thread.root)?.title ?? thread.title
    return [{ row, thread, title, batch: thread.batch === null ? null : (batchById.get(thread.batch) ?? null) }]
  })
}

const groupOf: Readonly<Record<UsageGrouping, (named: NamedRow) => Omit<UsageGroup, 'usage'>>> = {
  day: ({ row: { day } }) => ({ ...nothing, key: String(day), day }),
  thread: ({ thread, title }) => ({ ...nothing, key: thread.root, name: title }),
  agent: ({ thread, title }) => ({ ...nothing, key: thread.id, name: thread.agent, thread: title }),
  branch: ({ thread, title }) => ({ ...nothing, key: thread.branchId, name: thread.branch, thread: title }),
  batch: ({ batch, title }) => ({ ...nothing, key: batch?.id ?? '', batch, thread: batch === null ? null : title }),
  run: ({ row: { run }, thread, title }) => ({
    ...nothing,
    key: `${thread.id} ${run}`,
    name: thread.agent,
    thread: title,
    run,
  }),
  model: ({ row: { model } }) => ({ ...nothing, key: model, name: model }),
}

/** Adds the rows of a report up. Days come latest first, all others by what they cost. */
export function groupUsage(report: UsageReport, by: UsageGrouping): readonly UsageGroup[] {
  return addUp(
    nameRows(report).map((named) => ({ ...groupOf[by](named), usage: named.row.usage })),
    by,
  )
}

const projectGroupOf: Readonly<
  Record<ProjectGrouping, (project: ProjectUsage, row: ProjectUsage['rows'][number]) => Omit<UsageGroup, 'usage'>>
> = {
  project: ({ id, name }) => ({ ...nothing, key: id, name }),
  day: (_, { day }) => ({ ...nothing, key: String(day), day }),
  model: (_, { model }) => ({ ...nothing, key: model, name: model }),
}

/** Adds the usage of all projects up, in the same order as `groupUsage`. */
export function groupProjects(projects: readonly ProjectUsage[], by: ProjectGrouping): readonly UsageGroup[] {
  const groups = projects.flatMap((project) =>
    project.rows.map((row) => ({ ...projectGroupOf[by](project, row), usage: row.usage })),
  )
  return addUp(groups, by)
}

function addUp(groups: readonly UsageGroup[], by: UsageGrouping | ProjectGrouping): readonly UsageGroup[] {
  const sums = new Map<string, UsageGroup>()
  for (const group of groups) {
    const known = sums.get(group.key)
    sums.set(group.key, known ? { ...known, usage: addUsage(known.usage, group.usage) } : group)
  }
  const order = by === 'day' ? (a: UsageGroup, b: UsageGroup) => (b.day ?? 0) - (a.day ?? 0) : byCost
  return [...sums.values()].sort(order)
}

/** The most expensive first, by the known part of the cost; then by tokens. */
function byCost(a: UsageGroup, b: UsageGroup): number {
  return knownCostOf(b.usage) - knownCostOf(a.usage) || tokensOf(b.usage) - tokensOf(a.usage)
}

export function totalUsage(rows: readonly { readonly usage: Usage }[]): Usage {
  return rows.reduce((sum, { usage }) => addUsage(sum, usage), noUsage)
}

/** The report without other families of threads. */
export function usageOfFamily(report: UsageReport, root: string): UsageReport {
  const family = new Set(report.threads.filter((thread) => thread.root === root).map(({ id }) => id))
  return { ...report, rows: report.rows.filter(({ threadId }) => family.has(threadId)) }
}
