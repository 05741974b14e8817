import { createOverlayTransaction, type Tree } from '#overlay'
import type { CheckDefinition } from '#shared/model/check.ts'
import type { LayerId } from '#shared/model/ids.ts'
import type { SetupDefinition } from '#shared/model/setup.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { beginningOf, tailOf } from '#shared/text/whole-characters.ts'
import { BranchMountError, type MountView } from '../ports/branch-mounts.ts'
import { type CommandShell, ShellError, type ShellOutcome } from '../ports/shell.ts'
import type { RunServices } from '../setup/run-setup.ts'
import { failureOf } from '../setup/setup-words.ts'
import { hiddenNote } from '../trial/hidden-files.ts'
import { openTrial, type Trial } from '../trial/open-trial.ts'
import { lacksOf } from '../trial/view-notes.ts'

/** What a check is run on. */
export interface CheckView {
  readonly tree: Tree
  /** The layers that the command finds, the oldest first. */
  readonly environment: readonly LayerId[]
  /** Runs before it in the same view, so that it finds what this tree needs. Null for nothing. */
  readonly setup: CheckSetup | null
}

/** The project's setup, to be run on the tree of a check. */
export interface CheckSetup extends Pick<SetupDefinition, 'command' | 'hosts'> {
  readonly timeoutMs: number
}

/** One run of a check's command. */
export interface CheckRun {
  readonly exitCode: number | null
  /** True when it ended by itself, with an exit code: only then does another run say something new. */
  readonly isSound: boolean
  readonly output: string
  readonly note: string
  readonly dropped: readonly VirtualPath[]
  readonly durationMs: number
}

/** Characters of an output that are kept. */
const mostOutput = 100_000
/** Changed files that are named. */
const mostNamed = 10

/**
 * Runs a check's command in a view of a tree. Nothing that it changes is kept. A failing command is a result, and so is
 * one that cannot be started. Throws the abort reason, and bugs.
 */
export async function runCheck(
  { run: command, timeoutSeconds }: Pick<CheckDefinition, 'run' | 'timeoutSeconds'>,
  { tree, environment, setup }: CheckView,
  services: RunServices,
  owner: string,
  signal: AbortSignal,
): Promise<CheckRun> {
  const branch = createOverlayTransaction({ ...services, tree })
  const request = { owner, branch, access: services.access(), environment, lifetime: 'once' } as const
  try {
    await using trial = await openTrial(services, request, signal)
    const failed = setup === null ? null : await prepare(services.shell, setup, trial.view, signal)
    if (failed !== null) return { ...notRun, note: `The project’s setup failed on this tree: ${failed}` }
    const outcome = await execute(services.shell, command, timeoutSeconds, trial.view, signal)
    const { dropped, note: lost } = await findDropped(trial, outcome)
    const missed = hiddenNote(
      trial.hidden,
      `${command}\n${outcome.output}`,
      outcome.exitCode === 0 ? 'passed' : 'failed',
    )
    const note = [...notesOf(outcome, timeoutSeconds), ...lacksOf(trial.view), missed, lost].filter(Boolean).join(' ')
    const { exitCode, output, durationMs } = outcome
    const isSound = outcome.endedBy === 'itself' && exitCode !== null && exitCode !== notFound
    return { exitCode, isSound, output: cutMiddle(output), note, dropped, durationMs }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (!(error instanceof BranchMountError) && !(error instanceof ShellError)) throw error
    return { ...notRun, note: `It could not be run: ${error.message}` }
  }
}

const notRun = { exitCode: null, isSound: false, output: '', dropped: [], durationMs: 0 } as const

/** Why the setup left nothing of use. Null when it did. */
async function prepare(
  shell: CommandShell,
  { command, hosts, timeoutMs }: CheckSetup,
  mount: MountView,
  signal: AbortSignal,
): Promise<string | null> {
  return failureOf(await shell.execute({ command, timeoutMs, mount, hosts, onOutput: () => {} }, signal), timeoutMs)
}

/** The exit code of a shell that does not find a program. */
const notFound = 127

function execute(
  shell: CommandShell,
  command: string,
  timeoutSeconds: number,
  mount: MountView,
  signal: AbortSignal,
): Promise<ShellOutcome> {
  return shell.execute({ command, timeoutMs: timeoutSeconds * 1000, mount, onOutput: () => {} }, signal)
}

async function findDropped(
  trial: Trial,
  outcome: ShellOutcome,
): Promise<{ readonly dropped: readonly VirtualPath[]; readonly note: string }> {
  if (outcome.endedBy === 'disk') return { dropped: [], note: '' }
  try {
    const { changes } = await trial.capture(false)
    trial.drop()
    const files = changes.filter(({ kind }) => kind !== 'directory').map(({ path }) => path)
    if (files.length === 0) return { dropped: [], note: '' }
    const more = files.length > mostNamed ? ` and ${files.length - mostNamed} more` : ''
    const named = `${files.slice(0, mostNamed).map(shownName).join(', ')}${more}`
    return {
      dropped: files.slice(0, mostNamed),
      note: `It changed ${named}. A check keeps nothing, so these changes were dropped.`,
    }
  } catch (error) {
    if (!(error instanceof BranchMountError)) throw error
    return { dropped: [], note: `It changed files, which were dropped. They could not be listed: ${error.message}` }
  }
}

function notesOf(outcome: ShellOutcome, timeoutSeconds: number): readonly string[] {
  const { endedBy, exitCode, signal, reached, output, omittedBytes, denied } = outcome
  const hosts = [...new Set(denied.filter((one) => /^[\w.-]+:\d+$/.test(one)).map((one) => one.replace(/:443$/, '')))]
  return [
    endedBy === 'time'
      ? `It did not end within ${timeoutSeconds} s, so it was ended. If it needs longer, raise its timeout in the settings.`
      : endedBy !== 'itself'
        ? `${reached ?? 'It reached a limit'}; it was ended.`
        : '',
    endedBy === 'itself' && exitCode === null ? `It was ended by signal ${signal}.` : '',
    exitCode === notFound
      ? 'A program that it needs was not found (exit code 127). Install it, let the project’s setup install it, or correct the check’s command.'
      : '',
    hosts.length > 0
      ? `It could not reach ${hosts.slice(0, 5).join(', ')}. If it should, grant the host to the project’s commands in the settings (sandbox.hosts).`
      : '',
    omittedBytes > 0 || output.length > mostOutput ? 'Its output was cut in the middle, because it was long.' : '',
  ]
}

function cutMiddle(text: string): string {
  if (text.length <= mostOutput) return text
  const half = mostOutput / 2
  return `${beginningOf(text, half)}\n… ${text.length - mostOutput} characters were left out …\n${tailOf(text, half)}`
}
