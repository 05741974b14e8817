import { createOverlayTransaction, emptyTree } from '#overlay'
import type { LayerId } from '#shared/model/ids.ts'
import type { SetupDefinition, SetupState } from '#shared/model/setup.ts'
import type { BaseTree } from '../ports/base-tree.ts'
import { BranchMountError, type MountCapture } from '../ports/branch-mounts.ts'
import type { Hashing } from '../ports/hashing.ts'
import { type CommandShell, ShellError } from '../ports/shell.ts'
import type { FileAccess } from '../secrets/file-access.ts'
import { openTrial, type TrialServices } from '../trial/open-trial.ts'
import { failureOf, lastLines } from './setup-words.ts'

export interface RunServices extends TrialServices {
  readonly base: BaseTree
  readonly hashing: Hashing
  readonly shell: CommandShell
  /** Files that agents may not read are not in the view: what a setup leaves is theirs to read. */
  readonly access: () => FileAccess
}

export type SetupOutcome =
  | {
      readonly kind: 'ready'
      readonly layers: readonly LayerId[]
      readonly dropped: readonly string[]
      readonly droppedCount: number
      readonly output: string
    }
  | { readonly kind: 'failed'; readonly reason: string; readonly output: string }

/** The owner of the view of a setup, which no branch has as its id. */
const owner = 'setup of the project'

/** Changed files that are named. */
const mostNamed = 10

/**
 * Runs a setup in a view of the project's files as they are on the disk. Only one that ended well leaves layers. Throws
 * the abort reason, and bugs.
 */
export async function runSetup(
  { command, hosts }: SetupDefinition,
  services: RunServices,
  { timeoutMs, onOutput }: { readonly timeoutMs: number; readonly onOutput: (text: string) => void },
  signal: AbortSignal,
): Promise<SetupOutcome> {
  const branch = createOverlayTransaction({ ...services, tree: emptyTree })
  const request = { owner, branch, access: services.access(), environment: [], lifetime: 'once' } as const
  let output = ''
  try {
    await using trial = await openTrial(services, request, signal)
    const outcome = await services.shell.execute({ command, timeoutMs, mount: trial.view, hosts, onOutput }, signal)
    output = outcome.output
    const reason = failureOf(outcome, timeoutMs)
    if (reason !== null) return { kind: 'failed', reason, output }
    const captured = await trial.capture(true)
    const problem = problemOf(captured)
    if (problem === null) return { ...droppedIn(captured), kind: 'ready', layers: captured.environment, output }
    trial.drop()
    return { kind: 'failed', reason: problem, output }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (!(error instanceof BranchMountError) && !(error instanceof ShellError)) throw error
    return { kind: 'failed', reason: `What it left could not be kept: ${error.message}`, output }
  }
}

/** Why nothing of what it left is of use. Null when there is no such reason. */
function problemOf(captured: MountCapture): string | null {
  if (captured.unkept !== undefined) return captured.unkept
  const { dropped, droppedCount } = droppedIn(captured)
  if (captured.environment.length > 0 || droppedCount === 0) return null
  return `It changed only files that no .gitignore names, such as ${dropped[0]}, and those are not kept. Add the folder that it fills to .gitignore.`
}

function droppedIn({ changes }: MountCapture): { readonly dropped: readonly string[]; readonly droppedCount: number } {
  const files = changes.filter(({ kind }) => kind !== 'directory').map(({ path }) => path)
  return { dropped: files.slice(0, mostNamed), droppedCount: files.length }
}

/** How a setup that was stopped by a person is shown. */
export function cancelledState(command: string, at: number, output: string): Extract<SetupState, { kind: 'failed' }> {
  return { kind: 'failed', command, at, isCancelled: true, reason: 'It was cancelled.', lines: lastLines(output) }
}
