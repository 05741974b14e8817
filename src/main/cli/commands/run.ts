import { realpathSync } from 'node:fs'
import { findCheckProblem } from '#host/headless/require-checks.ts'
import { type BeginOptions, beginTask, modelOfThread, readTask } from '#host/headless/run-task.ts'
import { requireModel, requireStored } from '#host/models/provider.ts'
import type { Project } from '#host/project/project.ts'
import { findRecordProblem, openRecording, type Recording } from '#host/records/record-thread.ts'
import { givenFolders, parseFolder, proposedFolders } from '#host/settings/folders.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { namedBeside } from '#shared/model/models/agent-model.ts'
import { efforts } from '#shared/model/models/model-facts.ts'
import { modelFamily } from '#shared/model/models/model-family.ts'
import { approvalModes } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { shellWord } from '#shared/text/control-characters.ts'
import { appVersion } from '../app-paths.ts'
import { type CommandLine, choiceOf, UsageError } from '../arguments.ts'
import { finishAttempts } from '../attempts/finish-attempts.ts'
import { wantedAttempts } from '../attempts/wanted-attempts.ts'
import { endingInReport } from '../ending-in-report.ts'
import { followRun, requireResultPlaces, requireStart } from '../follow-run.ts'
import { approveModes } from '../grammar/flags.ts'
import { openHost } from '../open-host.ts'
import { printStatus } from '../print-status.ts'
import { outputSchemaOf, readInputFile, taskOf } from '../run/given-files.ts'
import { announceSetup } from '../setup.ts'
import { trustAsAsked } from '../trust.ts'
import { replay } from './replay.ts'

/** `coppice run`: runs one task, from the command line to the report. */
export function run(line: CommandLine): Promise<number> {
  return endingInReport(line, line.text('replay') === undefined ? runTask : replayTask)
}

/** Refuses what a replay has nothing to do with. */
function replayTask(line: CommandLine): Promise<number> {
  wantedAttempts(line)
  return replay(line)
}

async function runTask(line: CommandLine): Promise<number> {
  const task = await taskOf(line)
  choiceOf(line, 'approve', approveModes, 'ask')
  const mode = choiceOf(line, 'mode', approvalModes, undefined)
  const effort = choiceOf(line, 'effort', efforts, undefined)
  if (line.flag('empty') && line.positionals[0] !== undefined)
    throw new UsageError('--empty starts without a folder. Leave one of them out.')
  if (line.flag('empty') && line.flag('top')) throw new UsageError('--top needs a folder, and --empty has none.')
  const outputSchema = outputSchemaOf(line.text('output-schema'))
  const input = await readInputFile(line.text('input'))
  const attempts = wantedAttempts(line)
  requireRecordUse(line)
  await using host = await openHost(line, 'cli')
  const { project, folder } = await openNamed(line, host)
  requireFolders(line, project)
  requireResultPlaces(line, project.rootFolder)
  await trustAsAsked(line, host, project)
  warnUntrusted(project.info())
  for (const note of project.routeNotes) printStatus(note)
  await warnUnusable(project)
  warnProposedFolders(host, project)
  const agent = await chosenAgent(project, line.text('agent') ?? 'main')
  const threadId = threadIn(project, line.text('thread'))
  const [named, ofThread] = [line.text('model'), modelOfThread(project, threadId)]
  const usual = definedModel(host, agent.model) ?? host.settings.read().model
  const model =
    named === undefined && ofThread !== undefined
      ? requireStored(host.provider, ofThread)
      : requireModel(host.provider, named === undefined ? usual : namedBeside(ofThread ?? usual, named))
  await requireStart(project, model, 'as loaded')
  requireAttempts(project, attempts, model)
  const { notes } = await project.extensions.connect()
  const { asked, named: inTask, warnings: aboutTask } = await readTask(project, { threadId, model }, task)
  const warnings = [...project.runtime.warnings(model), ...notes, ...(await project.mcp.warnings()), ...aboutTask]
  for (const warning of warnings) printStatus(warning)
  requireCheckable(line, project)
  announceBudget(project, model)
  await announceSetup(line, project)
  project.setup.runs.forgetFailure()
  const options: BeginOptions = {
    step: line.flag('step'),
    threadId,
    model,
    effort,
    approvalMode: mode ?? host.settings.read().approvalMode,
    mode,
    agentType: agent.name,
    input,
    outputSchema,
    task,
    asked,
    named: inTask,
    attempts,
    folder,
  }
  using recording = await openRecordFile(line, project, model)
  const code = await followRun(line, host, project, () => beginTask(project, options), {
    recording,
    attempted: (report) => finishAttempts(line, host, project, report),
  })
  // What a server does not take is learned from its answer.
  for (const warning of project.runtime.warnings(model)) if (!warnings.includes(warning)) printStatus(warning)
  return code
}

/** The project to work on, and the folder of it that the agent is told to work in; null for all of it. */
async function openNamed(
  line: CommandLine,
  { projects }: Host,
): Promise<{ readonly project: Project; readonly folder: VirtualPath | null }> {
  if (line.flag('empty')) return { project: await projects.openScratch(), folder: null }
  const place = line.positionals[0] ?? process.cwd()
  const within = await projects.findWithin(place)
  if (line.flag('top') && within) return { project: await projects.open(within.top), folder: within.folder }
  if (within)
    printStatus(
      `This folder is a part of the repository ${within.top}, and git in its views does not see that. --top works on all of it, in ${within.folder}.`,
    )
  return { project: await projects.open(place), folder: null }
}

/** Throws `UsageError` for a folder of `--add-dir` that is none of the project: the agent would work without it. */
function requireFolders(line: CommandLine, { folders, routeNotes }: Project): void {
  for (const given of line.texts('add-dir')) {
    const path = realpathSync.native(parseFolder(given, process.cwd(), 'write').path)
    if (folders.some((one) => one.path === path)) continue
    const why = routeNotes.find((note) => note.includes(path)) ?? `${path} is no folder of this project.`
    throw new UsageError(`--add-dir ${given}: ${why.replace(/^Folders: /, '')}`)
  }
}

/** Null without `--record`. Throws `UsageError` for a file that cannot be written. */
async function openRecordFile(line: CommandLine, project: Project, model: string): Promise<Recording | null> {
  const file = line.text('record')
  if (file === undefined) return null
  const problem = findRecordProblem(file, project.rootFolder)
  if (problem !== null) throw new UsageError(`--record: ${problem}`)
  return openRecording(project, model, file, { version: appVersion(), withSecrets: line.flag('with-secrets') })
}

function requireRecordUse(line: CommandLine): void {
  if (line.text('record') === '-')
    throw new UsageError('--record needs a file, because the answer goes to standard output.')
  if (line.flag('with-secrets') && line.text('record') === undefined)
    throw new UsageError('--with-secrets is about the file of --record. Name one, or leave it out.')
}

/** The thread of the project that `--thread` names: by its id, the beginning of one, or `last`. Null for a new one. */
function threadIn({ services }: Project, word: string | undefined): BeginOptions['threadId'] {
  if (word === undefined) return null
  const families = [...services.log.families().values()].map(({ root }) => root)
  const roots = families.filter(({ deletedAt }) => deletedAt === null).sort((a, b) => b.updatedAt - a.updatedAt)
  const fitting = word === 'last' ? roots.slice(0, 1) : roots.filter(({ id }) => id.startsWith(word))
  if (fitting.length > 1) throw new UsageError(`--thread: ${word} is the beginning of several threads of this project.`)
  return fitting[0]?.id ?? (word as BeginOptions['threadId'])
}

/** The built-in agent, or one that the settings or a trusted project define. Throws for an unknown name. */
async function chosenAgent(
  { extensions }: Project,
  name: string,
): Promise<{ readonly name: string; readonly model: string | null }> {
  if (name === 'main') return { name, model: null }
  const { agents } = await extensions.refresh()
  const agent = agents.find((one) => one.name === name)
  if (agent) return agent
  throw new UsageError(`There is no agent "${name}". Agents: ${['main', ...agents.map((one) => one.name)].join(', ')}.`)
}

/** The model of a definition. Null when it leaves that open, or names a family that the usual profile has nothing of. */
function definedModel({ provider }: Host, model: string | null): string | null {
  const family = model === null ? null : modelFamily(model)
  return family === null ? model : provider.newestOf(family, null)
}

/** Loads what the person and the project define, and names what of it is not used. */
async function warnUnusable({ extensions }: Project): Promise<void> {
  await extensions.reload()
  const { agents, skills, settings } = extensions.found()
  for (const { file, line, message } of [...agents.problems, ...skills.problems, ...settings.problems])
    printStatus(`Not used: ${file}${line === null ? '' : `:${line}`}: ${message}`)
}

/** Throws `UsageError` for attempts that cannot be made as they are wanted. */
function requireAttempts({ runtime }: Project, wish: BeginOptions['attempts'], model: string): void {
  const problem = wish ? runtime.attemptsProblem(wish, model) : null
  if (problem !== null) throw new UsageError(`--attempts: ${problem}`)
}

/** Said before any money is spent. */
function requireCheckable(line: CommandLine, project: Project): void {
  const problem = line.flag('require-checks') ? findCheckProblem(project) : null
  if (problem !== null) throw new UsageError(problem)
}

function announceBudget({ runtime }: Project, model: string): void {
  const { cost, assumedPrice: price } = runtime.limitOf(model)
  if (cost !== null)
    printStatus(`This run stops at $${cost.toFixed(2)} (budgets.run.cost in settings.json; null lifts it).`)
  if (price)
    printStatus(
      `The price of ${model} is unknown: for limits in dollars, its tokens count as $${price.input} per million of input and $${price.output} per million of output (unknown_price).`,
    )
}

/** Folders that the project names in its settings are read when a person gives them to it. */
function warnProposedFolders({ settings }: Host, { extensions, rootFolder }: Project): void {
  if (rootFolder === null) return
  const given = givenFolders(settings.read().folders, rootFolder)
  for (const { name, path } of proposedFolders(extensions.projectSettings(), given, rootFolder))
    printStatus(
      `This project names the folder ${path}, which agents may not read. --ref ${shellWord(`${path}:${name}`)} allows it.`,
    )
}

function warnUntrusted(info: { readonly trusted: boolean; readonly wouldLoad: readonly string[] }): void {
  if (info.trusted || info.wouldLoad.length === 0) return
  printStatus(`Not loaded, because this folder is not trusted: ${info.wouldLoad.join(', ')}. Use --trust to load them.`)
}
