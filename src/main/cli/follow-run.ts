import { applyThread } from '#host/apply/apply.ts'
import type { Project } from '#host/composition/project.ts'
import { checkAnswer } from '#host/headless/answer-schema.ts'
import { endProcesses } from '#host/headless/end-processes.ts'
import { processesEnded } from '#host/headless/process-line.ts'
import { type RunReport, reportWhenQuiet } from '#host/headless/run-report.ts'
import { type ApproveMode, decideAutomatically, threadPatch } from '#host/headless/run-task.ts'
import { findResultProblem, writeResult } from '#host/storage/write-result.ts'
import { escapeControls } from '#shared/base/control-characters.ts'
import { type CommandLine, choiceOf, UsageError } from './arguments.ts'
import { exitCodeFor, exitCodes } from './exit-codes.ts'
import { printStatus } from './print-status.ts'
import { createPrinter } from './printer.ts'

type ThreadId = RunReport['threadId']

export const approveModes = ['ask', 'all', 'none'] as const satisfies readonly ApproveMode[]

/**
 * The common part of `run` and `resume`: prints events, stops on Ctrl+C, and ends with the report and its exit code.
 */
export async function followRun(line: CommandLine, project: Project, begin: () => ThreadId): Promise<number> {
  const printer = createPrinter(line.flag('json'))
  using _printing = project.events.listen(printer.event)
  const approve = choiceOf(line, 'approve', approveModes, 'ask')
  const threadId = begin()
  using _deciding = decideAutomatically(project, threadId, approve)
  using _stopping = stopOnSignal(() => project.runtime.stop(threadId))
  const ended = await endProcesses(project, threadId)
  if (ended > 0) printStatus(processesEnded(ended))
  const report = await checkAnswer(project, await reportWhenQuiet(project, threadId), line.flag('step'))
  const problem = report.status === 'done' ? await deliver(line, project, threadId) : null
  const final: RunReport =
    problem === null ? report : { ...report, status: 'failed', reason: 'not_delivered', message: problem }
  printer.finish(final)
  return exitCodeFor(final)
}

/**
 * Checks the places of results before any money is spent, because they are written at the very end. Throws `UsageError`.
 */
export function requireResultPlaces(line: CommandLine, rootFolder: string | null): void {
  for (const option of ['patch', 'transcript', 'journal']) {
    const file = line.text(option)
    const problem = file === undefined || file === '-' ? null : findResultProblem(file, rootFolder)
    if (problem !== null) throw new UsageError(`--${option}: ${problem}`)
  }
}

/** Refuses to start while an approval setting or a limit of the settings could not hold. Throws `UsageError`. */
export async function requireStart(project: Project, model: string): Promise<void> {
  const problems = await project.runtime.findStartProblems(model)
  if (problems.length > 0) throw new UsageError(problems.join('\n'))
}

/** The first Ctrl+C stops the agents, and the report is still written. The second ends the process. */
function stopOnSignal(stop: () => void): Disposable {
  let asked = false
  const onSignal = () => {
    if (asked) process.exit(exitCodes.stopped)
    asked = true
    stop()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    [Symbol.dispose]() {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}

/** Carries out `--patch` and `--apply`. Returns why one of them failed, or null. */
async function deliver(line: CommandLine, project: Project, threadId: ThreadId): Promise<string | null> {
  try {
    const patchFile = line.text('patch')
    if (patchFile !== undefined) await writePatchFile(project, threadId, patchFile)
    if (line.flag('apply')) printStatus(await applyThread(project, threadId))
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Writes the patch, or says that there is nothing to write. */
export async function writePatchFile(project: Project, threadId: ThreadId, file: string): Promise<void> {
  const patch = await threadPatch(project, threadId)
  for (const { path, why } of patch.leftOut) printStatus(`Left out of the patch: ${path} (${why})`)
  if (patch.files === 0) {
    printStatus('No changes: no patch was written.')
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
  if (file !== '-') await writeResult(file, content, rootFolder)
  else if (process.stdout.isTTY) process.stdout.write(escapeControls(Buffer.from(content).toString()))
  else process.stdout.write(content)
}
