import { locateProject } from '#host/project/project-place.ts'
import { checkDataFolder } from '#host/storage/data-folder.ts'
import { findResultProblem } from '#host/storage/write-result.ts'
import { storedUsageReport, usageOfProjects } from '#host/usage/project-usage.ts'
import { isoDay, lastDays, parseIsoDay } from '#shared/base/days.ts'
import {
  groupProjects,
  groupUsage,
  totalUsage,
  type UsageGroup,
  type UsageGrouping,
} from '#shared/model/derived/usage-groups.ts'
import { groupTable, usageTable } from '#shared/model/derived/usage-table.ts'
import { cachedShareOf, inputOf, knownCostOf, type Usage, unpricedTokensOf } from '#shared/model/models/usage.ts'
import { csvOf } from '#shared/text/csv.ts'
import { formatCount, formatDate, formatMoney, formatNumber, formatPercent } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'
import { answerVerb } from '../answer-verb.ts'
import { dataFolderFor } from '../app-paths.ts'
import { type CommandLine, choiceOf, UsageError } from '../arguments.ts'
import { deliverResult } from '../follow-run.ts'
import { usageGroups } from '../grammar/flags.ts'
import { printStatus } from '../print-status.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import { tableLines } from '../screen/table.ts'

type Grouping = (typeof usageGroups)[number]

/** Days that are told apart, about four years. What is older is one day. */
const longest = 1_500

/** `coppice usage`: adds up stored journals. Takes no lock and needs no key. */
export function usage(line: CommandLine): Promise<number> {
  return answerVerb(line, async () => {
    const by = choiceOf(line, 'by', usageGroups, 'thread')
    const since = sinceOf(line)
    const csv = line.text('csv')
    requirePlace(line, csv)
    const dataFolder = dataFolderFor(line.text('data-dir'), process.env)
    checkDataFolder(dataFolder)
    const starts = daysSince(since ?? 0, Date.now())
    const found =
      by === 'project' ? await ofAllProjects(dataFolder, starts) : await ofFolder(line, dataFolder, starts, by)
    for (const { name, problem } of found.leftOut) printStatus(`${name} is left out: ${problem}`)
    if (csv !== undefined) {
      await deliverResult(
        csv,
        csvOf(line.text('by') === undefined ? found.rows : groupTable(by, found.groups)),
        found.folder,
      )
      if (csv !== '-') printStatus(`The usage is in ${csv}.`)
    }
    const { groups, leftOut } = found
    const value = { by, since: since === null ? null : isoDay(since), total: totalUsage(groups), groups, leftOut }
    return { value: csv === '-' ? null : value, lines: csv === undefined ? linesOf(by, groups) : [] }
  })
}

interface FoundUsage {
  readonly groups: readonly UsageGroup[]
  /** Every row with all columns, under their names. */
  readonly rows: ReturnType<typeof usageTable>
  /** Projects that could not be read, with the reason. */
  readonly leftOut: readonly { readonly name: string; readonly problem: string }[]
  /** The project's folder; null for all projects. */
  readonly folder: string | null
}

async function ofFolder(
  line: CommandLine,
  dataFolder: string,
  starts: readonly number[],
  by: UsageGrouping,
): Promise<FoundUsage> {
  const place = await locateProject(dataFolder, line.positionals[0] ?? '.', 'folder', () => false)
  const report = await storedUsageReport(place.dataFolder, starts)
  return { groups: groupUsage(report, by), rows: usageTable(report), leftOut: [], folder: place.rootFolder }
}

async function ofAllProjects(dataFolder: string, starts: readonly number[]): Promise<FoundUsage> {
  const projects = await usageOfProjects(dataFolder, starts)
  const groups = groupProjects(projects, 'project')
  return {
    groups,
    rows: groupTable('project', groups),
    leftOut: projects.flatMap(({ name, problem }) => (problem === null ? [] : [{ name, problem }])),
    folder: null,
  }
}

/** The beginning of the day of `--since`; null without it. Throws `UsageError`. */
function sinceOf(line: CommandLine): number | null {
  const given = line.text('since')
  if (given === undefined) return null
  const day = parseIsoDay(given)
  if (day === null) throw new UsageError(`--since takes a day such as ${isoDay(Date.now())}, not "${given}".`)
  return day
}

/** Throws `UsageError` for a file that cannot be written, before anything is read. */
function requirePlace(line: CommandLine, csv: string | undefined): void {
  if (csv === undefined) return
  if (csv === '-' && line.flag('json'))
    throw new UsageError('--json prints to standard output, so name a file instead of "-".')
  const problem = csv === '-' ? null : findResultProblem(csv, null)
  if (problem !== null) throw new UsageError(`--csv: ${problem}`)
}

function daysSince(since: number, now: number): readonly number[] {
  return [since, ...lastDays(now, longest).filter((day) => day > since)]
}

function linesOf(by: Grouping, groups: readonly UsageGroup[]): readonly Line[] {
  if (groups.length === 0) return [lineOf('No agent has asked a model in this time.', 'dim')]
  const total = totalUsage(groups)
  const unpriced = unpricedTokensOf(total)
  const head = ['COST', 'CALLS', 'INPUT', 'CACHED', 'OUTPUT', by.toUpperCase()]
  const rows = groups.map((group) => [
    ...figuresOf(group.usage),
    [
      { text: nameOf(group, by) },
      ...(group.thread === null ? [] : [{ text: ` · ${group.thread}`, tone: 'dim' as const }]),
    ],
  ])
  return [
    ...tableLines(head, [...rows, [...figuresOf(total), lineOf('all', 'strong')]]),
    ...(unpriced === 0
      ? []
      : [lineOf(`The price of ${formatCount(unpriced)} tokens is unknown. Their cost is left out.`, 'dim')]),
  ]
}

function figuresOf(usage: Usage): readonly Line[] {
  const share = cachedShareOf(usage)
  return [
    lineOf(costText(usage), usage.cost === null ? 'warn' : 'accent'),
    lineOf(formatNumber(usage.modelCalls)),
    lineOf(formatCount(inputOf(usage))),
    lineOf(share === null ? '-' : formatPercent(share)),
    lineOf(formatCount(usage.outputTokens)),
  ]
}

/** A known part below a cent says nothing. */
function costText(usage: Usage): string {
  if (usage.cost !== null) return formatMoney(usage.cost)
  const known = knownCostOf(usage)
  return known < 0.01 ? 'unknown' : `at least ${formatMoney(known)}`
}

function nameOf({ name, day, run, batch }: UsageGroup, by: Grouping): string {
  if (by === 'day') return day === null || day === 0 ? 'earlier' : isoDay(day)
  if (by === 'batch')
    return batch ? `${plural(batch.tasks, 'task', 'tasks')}, ${formatDate(batch.startedAt)}` : 'outside batches'
  if (by === 'run') return run === 0 ? `${name}, before its first run` : `${name}, run ${run}`
  return name ?? ''
}
