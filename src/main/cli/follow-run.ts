import { applyThread } from '#host/changes/apply.ts'
import { deliverThread, usualDelivery } from '#host/delivery/deliver.ts'
import { checkAnswer } from '#host/headless/answer-schema.ts'
import { endProcesses } from '#host/headless/end-processes.ts'
import { processesEnded } from '#host/headless/process-line.ts'
import { requireChecks } from '#host/headless/require-checks.ts'
import { findCommits, type RunReport, reportWhenQuiet } from '#host/headless/run-report.ts'
import { decideAutomatically, threadPatch } from '#host/headless/run-task.ts'
import type { Project } from '#host/project/project.ts'
import type { Recording } from '#host/records/record-thread.ts'
import { type Replayed, withReplay } from '#host/records/replay-run.ts'
import { findResultProblem, writeResult } from '#host/storage/write-result.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { createDirectClient } from '#host/wiring/direct-client.ts'
import { type CommitUnit, commitUnits } from '#shared/model/delivery.ts'
import { escapeControls, shellWord } from '#shared/text/control-characters.ts'
import { commitsText } from '#shared/tools/commit-words.ts'
import { type CommandLine, choiceOf, placeFlags, UsageError } from './arguments.ts'
import { type Asker, canAsk, createAsker } from './decide/asker.ts'
import { type Hooked, hookChangesOf, runHooks } from './delivery/deliver-hooks.ts'
import { exitCodeFor, exitCodes } from './exit-codes.ts'
import { gatherFacts } from './follow/gather-facts.ts'
import type { LivePrinter } from './follow/live-printer.ts'
import { openPrinter, type RunPlace } from './follow/open-printer.ts'
import { stopOnSignal } from './follow/stop-on-signal.ts'
import { patchNotes } from './follow/summary.ts'
import { approveModes } from './grammar/flags.ts'
import { printStatus } from './print-status.ts'
import { plainText } from './screen/spans.ts'
import { terminal } from './screen/terminal.ts'

type ThreadId = RunReport['threadId']

/** What happens besides a run. */
export interface RunExtras {
  /** The record that the run writes. The caller closes it. */
  readonly recording?: Recording | null
  /** Set for a replay: resolves with what it found. */
  readonly replayed?: () => Promise<Replayed>
  /** Ends a run of attempts. Returns every other report as it is. */
  readonly attempted?: (report: RunReport) => Promise<RunReport>
}

/**
 * The common part of `run` and `resume`: shows events, asks where a person is there, stops on Ctrl+C, and ends with the
 * report and its exit code.
 */
export async function followRun(
  line: CommandLine,
  host: Host,
  project: Project,
  begin: () => ThreadId,
  { recording, replayed, attempted }: RunExtras = {},
): Promise<number> {
  const approve = choiceOf(line, 'approve', approveModes, 'ask')
  const per = commitUnitOf(line)
  const asksHere = approve === 'ask' && !line.flag('json') && !replayed && canAsk()
  const place: RunPlace = { threadId: null }
  const { printer, live } = openPrinter(line, project, place, { asksHere, approve })
  using _screen = live
  using _printing = project.events.listen(printer.event)
  const startedAt = project.services.clock.now()
  const threadId = begin()
  place.threadId = threadId
  recording?.start(threadId)
  using _deciding = decideAutomatically(project, threadId, approve)
  using asker = live !== null && asksHere ? openAsker(host, project, live, threadId) : null
  const control = new AbortController()
  using stopping = stopOnSignal(() => {
    control.abort()
    asker?.stop()
    stopRuns(project, threadId, asker !== null)
  })
  await untilIdle(project, threadId, asker)
  const result = replayed && (await replayed())
  const ended = await endProcesses(project, threadId)
  await printer.settled()
  if (ended > 0) printStatus(processesEnded(ended))
  const quiet = await reportWhenQuiet(project, threadId)
  const report =
    result && !stopping.isStopped() ? withReplay(quiet, result) : await checkAnswer(project, quiet, line.flag('step'))
  for (const sentence of recording?.finish() ?? []) printStatus(sentence)
  const tried = attempted ? await attempted(report) : report
  const checked =
    tried.status === 'done' && line.flag('require-checks') ? await check(project, tried, control.signal) : tried
  const finished = checked.status === 'done' ? await deliver(line, host, project, checked, per) : checked
  const final = asksHere && stopping.isStopped() ? stoppedReport(finished) : finished
  const options = { startedAt, isTerminal: asksHere, placeFlags: placeFlags(line) }
  const facts = line.flag('json') ? null : await gatherFacts(createDirectClient(host), project, threadId, options)
  await printer.finish(final, facts)
  return final.replay?.same ? exitCodes.done : exitCodeFor(final)
}

/** Null, with a sentence about it, when the terminal cannot be read key by key. Calls then stay pending. */
function openAsker(host: Host, project: Project, live: LivePrinter, threadId: ThreadId): Asker | null {
  try {
    return createAsker(host, project, live, threadId)
  } catch (error) {
    live.warn(`Nobody can be asked here: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}

/**
 * A stop takes waiting calls away. At a terminal the person can still answer them later, so everything pauses as it does
 * when the app is closed, and the next resume asks again.
 */
function stopRuns({ runtime, family }: Project, threadId: ThreadId, isAsking: boolean): void {
  const isWaiting = family(threadId).some(({ interrupts }) => interrupts.length > 0)
  if (!isAsking || !isWaiting) runtime.stop(threadId)
  // In a window the calls simply go on waiting.
  else if (terminal().host === null) void runtime[Symbol.asyncDispose]()
}

/** Waits until no agent can go on, and asks for what they wait for. */
async function untilIdle({ runtime }: Project, threadId: ThreadId, asker: Asker | null): Promise<void> {
  do await runtime.whenIdle(threadId)
  while (await asker?.settled())
}

/** The report with what the required checks say. A run whose result is not green has failed. */
async function check(project: Project, report: RunReport, signal: AbortSignal): Promise<RunReport> {
  printStatus('Running the required checks on the result …')
  const { checks, problem, output } = await requireChecks(project, report.threadId, signal)
  for (const line of output) printStatus(line)
  if (problem === null) return { ...report, checks }
  return { ...report, status: 'failed', reason: 'checks', message: problem, checks }
}

/** Ctrl+C while a call waits for the person: the call keeps waiting, but the run was stopped. */
function stoppedReport(report: RunReport): RunReport {
  if (report.status !== 'interrupted') return report
  return { ...report, status: 'stopped', reason: 'user', message: 'Calls still wait for your decision.' }
}

/**
 * Checks the places of results before any money is spent, because they are written at the very end. Throws `UsageError`.
 */
export function requireResultPlaces(line: CommandLine, rootFolder: string | null): void {
  for (const option of ['patch', 'transcript', 'journal', 'record']) {
    const file = line.text(option)
    const problem = file === undefined || file === '-' ? null : findResultProblem(file, rootFolder)
    if (problem !== null) throw new UsageError(`--${option}: ${problem}`)
  }
}

/**
 * Refuses to start while an approval setting or a limit of the settings could not hold. Throws `UsageError`. `as loaded`:
 * definitions were loaded just now.
 */
export async function requireStart(project: Project, model: string, definitions?: 'as loaded'): Promise<void> {
  const problems = await project.runtime.findStartProblems(model, definitions)
  if (problems.length > 0) throw new UsageError(problems.join('\n'))
}

/** Throws `UsageError` before anything runs. */
function commitUnitOf(line: CommandLine): CommitUnit {
  if (line.text('deliver-per') !== undefined && line.text('deliver') === undefined)
    throw new UsageError('--deliver-per is about the commits of --deliver. Add --deliver BRANCH, or leave it out.')
  if (line.flag('hooks') && line.text('deliver') === undefined)
    throw new UsageError('--hooks is about the commits of --deliver. Add --deliver BRANCH, or leave it out.')
  hookChangesOf(line)
  return choiceOf<CommitUnit, CommitUnit>(line, 'deliver-per', commitUnits, 'all')
}

/** Carries out `--patch`, `--apply` and `--deliver`. What fails makes the run fail. */
async function deliver(
  line: CommandLine,
  host: Host,
  project: Project,
  report: RunReport,
  per: CommitUnit,
): Promise<RunReport> {
  const { threadId } = report
  let known = report
  try {
    const branch = line.text('deliver')
    const wanted = branch === undefined ? null : usualDelivery(project, threadId, { to: branch, per })
    const hooked =
      wanted &&
      (await runHooks(
        line,
        { client: createDirectClient(host) },
        { projectId: project.info().id, ...wanted, keep: [], messages: [] },
      ))
    if (hooked) known = await withHookFacts(project, report, hooked)
    const patchFile = line.text('patch')
    if (patchFile !== undefined) await writePatchFile(project, threadId, patchFile)
    if (hooked?.stops) return { ...known, ...undelivered(line, report, hooked) }
    // First, because an apply makes the changes a part of the folder.
    const delivered = wanted ? await deliverThread(project, { ...wanted, hooks: hooked?.id ?? null }) : undefined
    for (const { branch: to, commits } of delivered ?? [])
      printStatus(`Delivered to the branch ${to}, at ${commits.at(-1)?.slice(0, 10)}.`)
    if (line.flag('apply')) printStatus(await applyThread(project, threadId))
    return delivered ? { ...known, delivered } : known
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ...known, status: 'failed', reason: 'not_delivered', message }
  }
}

/** The report with what the hooks said. What was taken of them is among the changes. */
async function withHookFacts(project: Project, report: RunReport, { facts, lines }: Hooked): Promise<RunReport> {
  for (const one of lines) printStatus(plainText(one))
  const { changes } =
    'taken' in facts && facts.taken.length > 0 ? await reportWhenQuiet(project, report.threadId) : report
  return { ...report, changes, hooks: facts }
}

/** How a run ends whose hooks let nothing be delivered. */
function undelivered(
  line: CommandLine,
  { threadId }: RunReport,
  { facts, stops }: Hooked,
): Pick<RunReport, 'status' | 'reason' | 'message'> {
  const again = `coppice deliver ${threadId} --to ${shellWord(line.text('deliver') ?? '')} --hooks`
  if (stops === exitCodes.stopped) return { status: 'stopped', reason: 'user', message: 'Nothing was delivered.' }
  if (stops === exitCodes.interrupted)
    return {
      ...{ status: 'interrupted', reason: 'not_delivered' },
      message: `The hooks changed files, so nothing was delivered. Say what becomes of that: ${again} --hook-changes take, or leave.`,
    }
  const problem = 'problem' in facts ? facts.problem : null
  const message = `${problem ?? 'The hooks let nothing pass.'} Nothing was delivered; the changes are kept in the thread. Later: ${again}`
  return { status: 'failed', reason: 'not_delivered', message }
}

/** Writes the patch, or says that there is nothing to write. */
export async function writePatchFile(project: Project, threadId: ThreadId, file: string): Promise<void> {
  const patch = await threadPatch(project, threadId)
  for (const line of patchNotes(patch)) printStatus(line)
  if (patch.files === 0) {
    const commits = await findCommits(project, threadId)
    if (commits.length > 0) printStatus(`No patch was written, but the agents left ${commitsText(commits)}.`)
    else printStatus(patch.leftOut.length > 0 ? 'No patch was written.' : 'No changes: no patch was written.')
    return
  }
  await deliverResult(file, patch.bytes, project.rootFolder)
  printStatus(
    `Patch of ${patch.files} files${file === '-' ? '' : ` written to ${file}`}, checked by ${patch.verifiedBy.join(' and ')}.`,
  )
}

/** Writes a result to a file, or to the standard output for `-`. A terminal gets no character that it would obey. */
export async function deliverResult(
  file: string,
  content: string | Uint8Array,
  rootFolder: string | null,
): Promise<void> {
  const { output } = terminal()
  if (file !== '-') await writeResult(file, content, rootFolder)
  else if (output.isTTY) output.write(escapeControls(Buffer.from(content).toString()))
  else output.write(content)
}
