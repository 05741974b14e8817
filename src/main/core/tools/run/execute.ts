import { z } from 'zod'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { commitsText } from '#shared/tools/commit-words.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { type MountView, placeVariable } from '../../ports/branch-mounts.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import type { CommandShell, ShellOutcome } from '../../ports/shell.ts'
import { type EndWithHidden, hiddenNote, missedFiles } from '../../trial/hidden-files.ts'
import { describeLeft } from '../../trial/left-behind.ts'
import { linksText, notKeptText, refusedText, type TakenPlaces, takeOverPlaces } from '../../trial/place-changes.ts'
import { deniedText, evictedText, lacksOf } from '../../trial/view-notes.ts'
import { declaredIn } from '../delegate/declared-tasks.ts'
import { programPlaces, type Route, routeOf } from '../namespace/routes.ts'
import type { Processes } from '../processes/processes.ts'
import { backgroundNote, startInBackground } from '../processes/start-in-background.ts'
import { type Tool, type ToolOutput, textOutput } from '../tool.ts'
import { adviceFor } from './advice.ts'
import type { CommandTrial, KeptCommand, OpenCommandTrial } from './call-trials.ts'

export const schema = z.object({
  command: z.string().min(1).describe('A bash command line. It starts in the project root.'),
  timeout: z.number().positive().max(3600).default(120).describe('Seconds. A background process has no such limit.'),
  background: z
    .boolean()
    .default(false)
    .describe('True for what stays, such as a server: it returns at once, with an id for the process_ tools.'),
})

/** Of calls that the app makes itself. A model cannot set `input`, because the tool's own schema leaves it out. */
const schemaWithInput = schema.extend({ input: z.string().optional() })

const description =
  'Runs a bash command, such as tests, builds or reads of git, in a throw-away view of your files. Files that may hold secrets are not in the view. Files it changes become changes of yours; ignored files and .git stay for your next command. It starts in the project root, and paths of project files are relative to it. The user decides whether it runs, or whether what it did is kept.'
const declaring =
  'In it, spawn_subagent [--type TYPE] [--id ID] "instruction" declares a task for a subagent; all declared tasks run as one batch when the command has ended.'

export interface ExecuteServices {
  readonly shell: CommandShell
  readonly openTrial: OpenCommandTrial
  /** Gives commands `spawn_subagent`. */
  readonly declares: boolean
  /** Of this project. */
  readonly routes: readonly Route[]
  /** Runs commands in the background. */
  readonly processes: Processes
  /** True for a text that stands in an earlier result of the thread. */
  readonly wasTold: (text: string) => boolean
}

/** `execute`: runs a command in a throw-away view of the branch. Its changes become changes of the branch. */
export function createExecuteTool({
  shell,
  openTrial,
  declares,
  routes,
  processes,
  wasTold,
}: ExecuteServices): Tool<z.infer<typeof schema>> {
  const places = describePlaces(routes, shell.sandbox().state !== 'off')
  return {
    ...toolFacts.execute,
    description: [description, places, declares && declaring].filter(Boolean).join(' '),
    schema,
    async run({ command, timeout, background, input }: z.infer<typeof schemaWithInput>, context) {
      if (background) return startInBackground(processes, command, context)
      await using trial = await openTrial(context)
      const { view, hidden } = trial
      const request = {
        command,
        ...(input !== undefined && { input }),
        timeoutMs: timeout * 1000,
        mount: view,
        hosts: context.hosts,
        network: trial.branchId,
        declares,
        onOutput: context.onOutput,
      }
      const outcome = await shell.execute(request, context.signal)
      const kept =
        outcome.endedBy === 'disk' ? trial.nothing : await trial.keep(endedItself(outcome)).catch(withOutput(outcome))
      const captured = context.drops ? { ...kept, ...nothingLeft } : kept
      const places = await takeOverPlaces(context, view.places, captured.placeChanges)
      const { tasks, note } = declaredIn(outcome.declared)
      return {
        ...textOutput(
          [
            report(command, outcome, captured, view, places),
            hiddenFilesText(hidden, command, outcome, captured, wasTold),
            hiddenText(routes, captured),
            backgroundNote(command),
            trial.setupNote !== null && `\n${trial.setupNote}`,
            note,
          ]
            .filter(Boolean)
            .join(' '),
        ),
        declares: tasks,
        entries: trial.entries(captured, context.callId),
        command: commandEnd(outcome, captured, missedBy(hidden, command, outcome, captured)),
      }
    },
  }
}

/** Of a command whose changes are dropped nothing stays for the next one, so no sentence says so. */
const nothingLeft = { ignoredChanges: 0, commits: [], left: [] } as const

/** The same tool for calls that the app makes itself: their argument `input` is the command's standard input. */
export function takingInput(tool: Tool): Tool {
  return { ...tool, schema: schemaWithInput }
}

/** How the command failed, as its result says; undefined when it ended with exit code 0. */
export function failureIn(result: string): string | undefined {
  const end = result.split('\n').findLast((line) => endLine.test(line))
  return end?.startsWith('Exit code 0.') ? undefined : end
}

/** The first line after the output. The last match is meant, because a command may print such a line itself. */
const endLine =
  /^(?:Exit code \d+\.|Ended by signal \w+\.|Timed out; .*|It .*; the command and all it started were ended.*) \d+\.\d s\./

const companyText =
  'Processes that stay see its changes of project files, but not those of ignored files: end and start one that needs them.'

/** Where commands find the places beside the project. */
function describePlaces(routes: readonly Route[], isConfined: boolean): string {
  const all = programPlaces(routes).map(({ route: { prefix }, name }) => ({ prefix, variable: placeVariable(name) }))
  const names = all.map(({ prefix, variable }) => `${prefix} ($${variable})`).join(', ')
  const where = isConfined ? 'under these paths and' : 'only'
  return `Beside the project it finds ${names}, ${where} in the folders of the variables. What it writes there is kept like a file tool's; memories are read-only for it.`
}

/** Begins a line of its own. Empty when the command seems to need no hidden file. */
function hiddenFilesText(
  hidden: CommandTrial['hidden'],
  command: string,
  outcome: ShellOutcome,
  captured: KeptCommand,
  wasTold: ExecuteServices['wasTold'],
): string {
  const end = endWithHidden(command, outcome, captured)
  const note = hiddenNote(hidden, `${command}\n${outcome.output}`, end, wasTold)
  return note && `\n${note}`
}

/** Git is told about hidden files by marks in its index, so what it writes lacks none of them. */
function endWithHidden(
  command: string,
  { exitCode }: ShellOutcome,
  { changes, ignoredChanges }: KeptCommand,
): EndWithHidden {
  if (exitCode !== 0) return 'failed'
  const isOfGit = /^\s*git\s[^;&|]*$/.test(command)
  return changes.length > 0 || (ignoredChanges > 0 && !isOfGit) ? 'wrote' : 'neither'
}

function commandEnd(
  { exitCode, refusedHosts = [] }: ShellOutcome,
  { ignoredChanges, unkept, commits, left: files = [] }: KeptCommand,
  missed: readonly VirtualPath[],
): NonNullable<ToolOutput['command']> {
  const left = describeLeft(files)
  return {
    ...{ exitCode, refusedHosts, ignoredChanges: unkept === undefined ? ignoredChanges : 0 },
    ...(left && { left }),
    ...(commits.length > 0 && { commits }),
    ...(missed.length > 0 && { missed }),
  }
}

/** The hidden files without which it made what it wrote. */
function missedBy(
  hidden: CommandTrial['hidden'],
  command: string,
  outcome: ShellOutcome,
  captured: KeptCommand,
): readonly VirtualPath[] {
  const end = endWithHidden(command, outcome, captured)
  return end === 'wrote' ? missedFiles(hidden, `${command}\n${outcome.output}`, end) : []
}

/** Tells what the command printed together with why none of its changes were kept. */
function withOutput({ output }: ShellOutcome): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof FileTreeError)) throw error
    throw new FileTreeError(
      error.code,
      error.path,
      `${error.message}\n\nIt printed:\n${output.trimEnd() || '(nothing)'}`,
    )
  }
}

/** True for a command that nobody cut off, so that what it left is whole. */
function endedItself({ endedBy, exitCode }: ShellOutcome): boolean {
  return endedBy === 'itself' && exitCode !== null
}

function report(
  command: string,
  outcome: ShellOutcome,
  { changes, ignoredChanges, unkept, refusedLinks = [], notKept = [], evicted, commits }: KeptCommand,
  view: MountView,
  { taken, refused }: TakenPlaces,
): string {
  const ended = endOf(outcome)
  const ofProject = changes
    .filter(({ kind }) => kind !== 'directory')
    .map(({ kind, path }) => `${kind === 'absent' ? 'deleted' : 'wrote'} ${shownName(path)}`)
  const changed = [...ofProject, ...taken]
  const notes = [
    `${ended} ${(outcome.durationMs / 1000).toFixed(1)} s.`,
    changed.length > 0 &&
      `Changes: ${changed.slice(0, 50).join(', ')}${changed.length > 50 ? ` and ${changed.length - 50} more` : ''}.`,
    refusedText(refused),
    linksText(refusedLinks),
    notKeptText(notKept),
    ignoredChanges > 0 && unkept === undefined && ignoredText(ignoredChanges, endedItself(outcome)),
    commits.length > 0 &&
      `It left ${commitsText(commits)}. They are no changes of files: a merge, a patch and an apply leave them out, except that an apply writes a repository that you made. What should be delivered must be in your files.`,
    outcome.hadCompany && ignoredChanges > 0 && companyText,
    unkept !== undefined && `What it left in ignored files was not kept. ${unkept} Its changes are kept.`,
    ...lacksOf(view),
    evictedText(evicted),
    outcome.endedBy === 'itself' && outcome.reached && `${outcome.reached}.`,
    deniedText(outcome.denied),
    ...adviceFor(outcome, command),
    outcome.omittedBytes > 0 && `${outcome.omittedBytes} bytes were cut from the middle of the output.`,
  ]
  return [outcome.output.trimEnd() || '(no output)', notes.filter(Boolean).join('\n')].join('\n\n')
}

function ignoredText(count: number, kept: boolean): string {
  if (!kept)
    return `${count} ignored files changed (.git among them); they were dropped, because it did not end by itself.`
  return `${count} ignored files changed (.git among them); they stay for your next command and are no changes.`
}

/** A sentence about files of the project that have the path of a place, so that the file tools do not reach them. */
function hiddenText(routes: readonly Route[], { changes }: KeptCommand): string {
  const hidden = changes.filter(({ kind, path }) => kind === 'file' && routeOf(routes, path) !== undefined)
  const [first] = hidden
  if (!first) return ''
  const more = hidden.length > 1 ? ` and ${hidden.length - 1} more` : ''
  return `\nYour file tools do not reach ${shownName(first.path)}${more}, because a place beside the project has this name. Move such files to another folder by a command, or they stay out of your sight until the project is opened again.`
}

function endOf({ endedBy, exitCode, signal, reached }: ShellOutcome): string {
  switch (endedBy) {
    case 'time':
      return 'Timed out; the command and all it started were ended.'
    case 'memory':
    case 'machine_memory':
    case 'processes':
    case 'cpu':
      return `${reached ?? 'It reached a limit'}; the command and all it started were ended.`
    case 'disk':
      return `${reached ?? 'It filled the disk'}; the command and all it started were ended, and nothing it wrote was kept.`
    case 'itself':
      return exitCode === null ? `Ended by signal ${signal}.` : `Exit code ${exitCode}.`
  }
}
