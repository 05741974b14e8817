import { type TriedMessage, type TriedRow, triedMessage } from '#host/headless/attempts-report.ts'
import { type RunReport, reportWhenQuiet } from '#host/headless/run-report.ts'
import type { Project } from '#host/project/project.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { createDirectClient } from '#host/wiring/direct-client.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { formatMoney } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'
import { type CommandLine, choiceOf, placeFlags } from '../arguments.ts'
import { picks } from '../grammar/flags.ts'
import { printStatus } from '../print-status.ts'
import { type Line, lineOf, plainText, type Tone } from '../screen/spans.ts'
import { tableLines } from '../screen/table.ts'

/**
 * Ends a run of attempts: takes the best one where `--pick best` says so and its checks are green, and shows the table with
 * the next commands. Returns the report as it is for every other run.
 */
export async function finishAttempts(
  line: CommandLine,
  host: Host,
  project: Project,
  report: RunReport,
): Promise<RunReport> {
  const tried = triedMessage(project, report.threadId)
  if (tried === null || report.interrupts.length > 0) return report
  const pick = choiceOf(line, 'pick', picks, 'ask')
  const end = endOf(report, tried) ?? (pick === 'best' ? await takeBest(host, project, report, tried) : report)
  const now = end === report ? report : await withState(project, end)
  if (!line.flag('json')) show(line, now, triedMessage(project, report.threadId) ?? tried)
  return now
}

/** Why there is nothing to take from: no attempt could be made, or none of them changed anything and all failed. */
function endOf(report: RunReport, { rows }: TriedMessage): RunReport | null {
  if (report.status !== 'done') return report
  const isLost = ({ branch, checks, ended }: TriedRow) =>
    branch === null || (ended !== '' && (checks === 'no change' || checks === 'none'))
  if (!rows.every((row) => isLost(row) && (row.judged?.files ?? 0) === 0)) return null
  const why = rows.find(({ ended }) => ended !== '')?.ended ?? ''
  const isBudget = rows.every((row) => row.isBudget)
  return {
    ...report,
    ...(isBudget ? { status: 'stopped', reason: 'budget' } : { status: 'failed', reason: 'attempts' }),
    message: `No attempt came to anything. ${why}`.trim(),
  }
}

/** Merges the best one. The least bad of attempts that are not green is never taken unasked. */
async function takeBest(host: Host, project: Project, report: RunReport, tried: TriedMessage): Promise<RunReport> {
  const [best] = tried.rows
  if (best?.checks !== 'green' || best.branchId === null) {
    const why = tried.rows.every(({ judged }) => (judged?.checks.length ?? 0) === 0)
      ? 'No check ran, so nothing says which attempt is good.'
      : 'No attempt changed something and has green checks.'
    return { ...report, status: 'failed', reason: 'checks', message: `Nothing was taken. ${why}` }
  }
  try {
    const request = { projectId: project.info().id, branchId: best.branchId, paths: null } as const
    const { result } = await createDirectClient(host).branches.merge({
      ...request,
      force: false,
      strategy: 'three_way',
    })
    if (result.conflicts.length === 0) return { ...report, message: `Took ${best.branch}.` }
    const paths = result.conflicts.map(({ path }) => shownName(path)).join(', ')
    return notTaken(report, `${best.branch} does not merge: ${paths} changed on both sides.`)
  } catch (error) {
    return notTaken(report, `${best.branch} was not taken: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function notTaken(report: RunReport, message: string): RunReport {
  return { ...report, status: 'failed', reason: 'attempts', message }
}

/** The report with what a merge changed. */
async function withState(project: Project, { status, reason, message, threadId }: RunReport): Promise<RunReport> {
  return { ...(await reportWhenQuiet(project, threadId)), status, reason, message }
}

const tones: Readonly<Record<TriedRow['checks'], Tone>> = {
  green: 'good',
  flaky: 'warn',
  red: 'bad',
  none: 'dim',
  'no change': 'dim',
}

function show(line: CommandLine, { threadId }: RunReport, { rows, note }: TriedMessage): void {
  const head = ['attempt', 'branch', 'checks', 'files', 'lines', 'findings', 'cost', '']
  for (const one of tableLines(head, rows.map(cellsOf))) printStatus(plainText(one))
  if (note !== '') printStatus(note)
  for (const { name, judged } of rows.slice(0, 3))
    for (const finding of judged?.findings ?? []) printStatus(`${shownName(name)}: ${shownName(finding)}`)
  const [first] = rows.filter(({ branch, checks }) => branch !== null && checks !== 'no change')
  if (!first || rows.some(({ picked }) => picked)) return
  const named = `${threadId.slice(0, 8)} ${first.branch}${placeFlags(line)}`
  for (const [verb, about] of [
    ['diff', 'look at it'],
    ['merge', 'take it'],
    ['discard', 'drop it; "coppice undo" brings it back'],
  ] as const)
    printStatus(`  coppice ${verb} ${named}   ${about}`)
}

function stateOf({ checks, green_before, judged }: TriedRow): string {
  const isAll = checks === 'green' && green_before.length === judged?.checks.length
  return isAll ? 'green (as before)' : checks
}

function cellsOf(row: TriedRow): readonly Line[] {
  const { name, branch, checks, lines, cost, judged, picked, same, ended } = row
  const red = (judged?.checks ?? []).filter(({ outcome }) => outcome !== 'green').map((one) => one.name)
  const said = [picked ? 'taken' : '', same === null ? '' : `same files as ${same}`, shownName(ended)].filter(Boolean)
  return [
    lineOf(shownName(name)),
    lineOf(branch ?? '–'),
    lineOf(red.length > 0 ? `${checks}: ${red.map(shownName).join(', ')}` : stateOf(row), tones[checks]),
    lineOf(judged ? plural(judged.files, 'file', 'files') : '–'),
    lineOf(judged ? String(lines) : '–'),
    lineOf(judged?.findings ? String(judged.findings.length) : '–'),
    lineOf(cost === null ? '?' : formatMoney(cost)),
    lineOf(said.join(' · '), 'dim'),
  ]
}
