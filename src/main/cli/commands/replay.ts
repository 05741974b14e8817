import { readGiven } from '#host/inputs/read-given.ts'
import { readGitCommit } from '#host/project/git-head.ts'
import type { Project } from '#host/project/project.ts'
import { beginReplay, replayNotes } from '#host/records/replay-run.ts'
import { type ReplaySource, readReplay } from '#host/records/replay-source.ts'
import { shellWord, shownName } from '#shared/text/control-characters.ts'
import { type CommandLine, choiceOf, UsageError } from '../arguments.ts'
import { followRun, type RunExtras, requireResultPlaces, requireStart } from '../follow-run.ts'
import { approveModes } from '../grammar/flags.ts'
import { openHost } from '../open-host.ts'
import { printStatus } from '../print-status.ts'
import { terminal } from '../screen/terminal.ts'
import { announceSetup } from '../setup.ts'
import { trustAsAsked } from '../trust.ts'

/** Flags of `run` that a record answers itself, with what it holds of them. */
const recorded: readonly (readonly [flag: string, what: string])[] = [
  ['task', 'the task'],
  ['thread', 'the thread'],
  ['model', 'the model'],
  ['agent', 'the agent'],
  ['input', 'the inputs'],
  ['output-schema', 'the schema of the answer'],
  ['mode', 'the approval mode'],
  ['max-iterations', 'the limits'],
  ['record', 'what a replay would write'],
]
const refusedFlags = ['step', 'apply', 'require-checks', 'with-secrets']

/** `coppice run --replay FILE`: runs a recorded task again and compares what comes of it. */
export async function replay(line: CommandLine): Promise<number> {
  requireFree(line)
  const approves = choiceOf(line, 'approve', approveModes, 'ask') !== 'none'
  const source = await sourceIn(line)
  await using host = await openHost(line, 'cli', null, source)
  const project = line.flag('empty')
    ? await host.projects.openScratch()
    : await host.projects.open(line.positionals[0] ?? process.cwd())
  requireResultPlaces(line, project.rootFolder)
  await trustAsAsked(line, host, project)
  const { header } = source.record
  requireFolders(header.folders ?? [], project)
  await requireStart(project, header.model)
  await requireAgent(project, header.agentType)
  const commit = project.rootFolder === null ? null : readGitCommit(project.rootFolder)
  for (const note of replayNotes(project, source, commit)) printStatus(note)
  await announceSetup(line, project)
  project.setup.runs.forgetFailure()
  let replayed: RunExtras['replayed']
  const begin = () => {
    const { threadId, ended } = beginReplay(project, source, { approves })
    replayed = () => ended
    return threadId
  }
  return await followRun(line, host, project, begin, { replayed: async () => requireBegun(replayed)() })
}

function requireBegun(replayed: RunExtras['replayed']): NonNullable<RunExtras['replayed']> {
  if (!replayed) throw new Error('The replay has not begun')
  return replayed
}

function requireFree(line: CommandLine): void {
  const taken = recorded.find(([flag]) => line.text(flag) !== undefined)
  if (taken) throw new UsageError(`--replay takes ${taken[1]} from its record. Leave --${taken[0]} out.`)
  const refused = refusedFlags.find((flag) => line.flag(flag))
  if (refused !== undefined) throw new UsageError(`--${refused} cannot be used with --replay. Leave it out.`)
}

async function sourceIn(line: CommandLine): Promise<ReplaySource> {
  const file = line.text('replay') ?? ''
  const read = readReplay(await textOf(file))
  if (!read.ok) throw new UsageError(`--replay: ${file}: ${read.error}`)
  return read.value
}

/** In bytes. */
const mostOfRecord = 256 * 1024 * 1024

async function textOf(file: string): Promise<string> {
  if (file === '-') return terminal().readAll()
  try {
    return readGiven(file, mostOfRecord).toString('utf8')
  } catch (error) {
    throw new UsageError(`--replay: cannot read ${file}: ${(error as Error).message}`)
  }
}

/** Throws `UsageError` for a folder that the recorded agents had and these would not have. */
function requireFolders(roots: readonly string[], { folders }: Project): void {
  const missing = roots.filter((root) => !folders.some((one) => one.root === root && !one.isGone))
  if (missing.length === 0) return
  const flags = missing.map((root) => `--add-dir ${shellWord(`DIR:${root.slice(1)}`)}`).join(' ')
  throw new UsageError(
    `--replay: the project of the record had more folders: ${missing.map(shownName).join(', ')}. Name them as they were then: ${flags}`,
  )
}

async function requireAgent({ extensions }: Project, name: string): Promise<void> {
  const { agents } = await extensions.refresh()
  if (name === 'main' || agents.some((one) => one.name === name)) return
  throw new UsageError(
    `--replay: the record is of the agent "${name}", which is not here. Use --trust if the folder defines it.`,
  )
}
