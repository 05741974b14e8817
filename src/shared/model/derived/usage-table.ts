import { isoDay } from '../../base/days.ts'
import { knownCostOf, type Usage, unpricedTokensOf } from '../models/usage.ts'
import type { UsageGroup } from './usage-groups.ts'
import type { ProjectUsage, UsageReport } from './usage-report.ts'

type Cell = string | number | null

/** A table for other programs: the names of the columns, then the rows. A null cell is an unknown or missing value. */
type Table = readonly (readonly Cell[])[]

const usageHead = [
  'model_calls',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'cost_usd',
  'known_cost_usd',
  'tokens_without_price',
] as const

/** The cost is null when the price of any call is unknown, so that a sum over the column cannot take it for 0. */
function usageCells(usage: Usage): readonly Cell[] {
  return [
    usage.modelCalls,
    usage.inputTokens,
    usage.cacheReadTokens,
    usage.cacheWriteTokens,
    usage.outputTokens,
    usage.cost,
    knownCostOf(usage),
    unpricedTokensOf(usage),
  ]
}

/** Every row of the report with everything that it can be grouped by. */
export function usageTable({ rows, threads, batches }: UsageReport): Table {
  const byId = new Map(threads.map((thread) => [thread.id, thread]))
  const batchById = new Map(batches.map((batch) => [batch.id, batch]))
  const head = [
    ...['day', 'thread', 'thread_id', 'agent', 'agent_id', 'agent_type', 'depth', 'branch', 'branch_id', 'batch_id'],
    ...['batch_started_at', 'run', 'model', 'purpose', ...usageHead],
  ]
  const cells = rows.map(({ day, threadId, run, model, purpose, usage }): readonly Cell[] => {
    const thread = byId.get(threadId)
    const root = thread && byId.get(thread.root)
    const batch = thread?.batch == null ? undefined : batchById.get(thread.batch)
    return [
      dayCell(day),
      root?.title ?? null,
      thread?.root ?? null,
      thread?.agent ?? null,
      threadId,
      thread?.agentType ?? null,
      thread?.depth ?? null,
      thread?.branch ?? null,
      thread?.branchId ?? null,
      batch?.id ?? null,
      batch ? new Date(batch.startedAt).toISOString() : null,
      run,
      model,
      purpose,
      ...usageCells(usage),
    ]
  })
  return [head, ...cells]
}

/** The usage of all projects by day and model. A project that could not be read has one row without figures. */
export function projectTable(projects: readonly ProjectUsage[]): Table {
  const head = ['project', 'folder', 'day', 'model', ...usageHead, 'problem']
  const none = usageHead.map(() => null)
  const cells = projects.flatMap(({ name, folder, rows, problem }): Table => {
    if (problem !== null) return [[name, folder, null, null, ...none, problem]]
    return rows.map(({ day, model, usage }) => [name, folder, dayCell(day), model, ...usageCells(usage), null])
  })
  return [head, ...cells]
}

/** Groups as a table, with `by` as the name of the first column. */
export function groupTable(by: string, groups: readonly UsageGroup[]): Table {
  const head = [by, 'id', 'thread', 'run', ...usageHead]
  const cells = groups.map((group): readonly Cell[] => [
    group.day !== null ? dayCell(group.day) : group.batch ? new Date(group.batch.startedAt).toISOString() : group.name,
    group.key === '' || group.day !== null ? null : group.key,
    group.thread,
    group.run,
    ...usageCells(group.usage),
  ])
  return [head, ...cells]
}

/** The day 0 stands for everything before the days that were asked for. */
function dayCell(day: number): Cell {
  return day === 0 ? null : isoDay(day)
}
