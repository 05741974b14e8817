import { readDecisions } from '#host/headless/read-decisions.ts'
import { chooseMode, resumeTask } from '#host/headless/run-task.ts'
import { readGiven } from '#host/inputs/read-given.ts'
import { requireStored } from '#host/models/provider.ts'
import { findThread } from '#host/threads/stored-threads.ts'
import { approvalModes } from '#shared/model/thread.ts'
import { type CommandLine, choiceOf, UsageError } from '../arguments.ts'
import { finishAttempts } from '../attempts/finish-attempts.ts'
import { endingInReport } from '../ending-in-report.ts'
import { followRun, requireResultPlaces, requireStart } from '../follow-run.ts'
import { approveModes } from '../grammar/flags.ts'
import { openHost } from '../open-host.ts'
import { printLeftOut } from '../print-status.ts'
import { terminal } from '../screen/terminal.ts'
import { announceSetup } from '../setup.ts'
import { trustAsAsked } from '../trust.ts'

/** `coppice resume`: gives the decisions, then resumes everything that can go on. */
export function resume(line: CommandLine): Promise<number> {
  return endingInReport(line, resumeThread)
}

async function resumeThread(line: CommandLine): Promise<number> {
  const [given] = line.positionals
  if (given === undefined) throw new UsageError('resume needs a thread. "coppice threads" lists them.')
  choiceOf(line, 'approve', approveModes, 'ask')
  const mode = choiceOf(line, 'mode', approvalModes, undefined)
  const decisions = decisionsIn(await decisionsText(line.text('decisions')))
  await using host = await openHost(line, 'cli')
  const { project, thread, leftOut } = await findThread(host, given)
  printLeftOut(leftOut)
  requireResultPlaces(line, project.rootFolder)
  await trustAsAsked(line, host, project)
  requireStored(host.provider, thread.model)
  await requireStart(project, thread.model)
  await project.extensions.find()
  await announceSetup(line, project)
  if (line.text('setup') !== undefined) project.setup.runs.forgetFailure()
  const begin = () => {
    if (mode !== undefined) chooseMode(project, thread.id, mode)
    resumeTask(project, thread.id, decisions, { step: line.flag('step') })
    return thread.id
  }
  return await followRun(line, host, project, begin, {
    attempted: (report) => finishAttempts(line, host, project, report),
  })
}

function decisionsIn(text: string): ReturnType<typeof readDecisions> {
  try {
    return readDecisions(text)
  } catch (error) {
    throw new UsageError(`--decisions: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function decisionsText(file: string | undefined): Promise<string> {
  if (file === undefined) return '[]'
  if (file === '-') return terminal().readAll()
  try {
    return readGiven(file).toString('utf8')
  } catch (error) {
    throw new UsageError(`--decisions: cannot read ${file}: ${(error as Error).message}`)
  }
}
