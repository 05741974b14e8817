import {
  groupProjects,
  groupUsage,
  type ProjectGrouping,
  projectGroupings,
  type UsageGroup,
  type UsageGrouping,
  usageGroupings,
} from '#shared/model/derived/usage-groups.ts'
import type { ProjectUsage, UsageReport } from '#shared/model/derived/usage-report.ts'
import { projectTable, usageTable } from '#shared/model/derived/usage-table.ts'
import type { Usage } from '#shared/model/models/usage.ts'
import { csvOf } from '#shared/text/csv.ts'

/** What the view shows: the usage of the open project, or of all of them. */
export type ScopedUsage =
  | { readonly scope: 'project'; readonly report: UsageReport }
  | { readonly scope: 'all'; readonly projects: readonly ProjectUsage[] }

export type Grouping = UsageGrouping | ProjectGrouping

/** By what the chart is divided: `type` is the type of the agent. */
export type Stack = 'model' | 'type' | 'project'

/** What was used on one day of one model, agent type or project. */
export interface StackedRow {
  readonly day: number
  readonly name: string
  readonly usage: Usage
}

export function groupingsOf({ scope }: Pick<ScopedUsage, 'scope'>): readonly Grouping[] {
  return scope === 'project' ? usageGroupings : projectGroupings
}

/** The present choice, or the first one where the scope does not have it. */
export function allowedIn<Choice>(choice: Choice, allowed: readonly [Choice, ...(readonly Choice[])]): Choice {
  return allowed.includes(choice) ? choice : allowed[0]
}

export const stacksOf = { project: ['model', 'type'], all: ['model', 'project'] } as const

export function groupScoped(usage: ScopedUsage, by: Grouping): readonly UsageGroup[] {
  if (usage.scope === 'project') return by === 'project' ? [] : groupUsage(usage.report, by)
  return by === 'project' || by === 'day' || by === 'model' ? groupProjects(usage.projects, by) : []
}

/** Rows for the chart, each with the name of the part that it belongs to. */
export function stackRows(usage: ScopedUsage, by: Stack): readonly StackedRow[] {
  if (usage.scope === 'project') {
    const types = new Map(usage.report.threads.map(({ id, agentType }) => [id, agentType]))
    return usage.report.rows.map((row) => ({
      day: row.day,
      name: by === 'type' ? (types.get(row.threadId) ?? '') : row.model,
      usage: row.usage,
    }))
  }
  return usage.projects.flatMap(({ name, rows }) =>
    rows.map((row) => ({ day: row.day, name: by === 'project' ? name : row.model, usage: row.usage })),
  )
}

/** Every row that the view is made of, for another program. */
export function csvOfUsage(usage: ScopedUsage): string {
  return csvOf(usage.scope === 'project' ? usageTable(usage.report) : projectTable(usage.projects))
}
