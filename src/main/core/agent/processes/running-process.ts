import type { BranchId, ProcessId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { ProcessEnd } from '#shared/model/process.ts'
import { BranchMountError, type MountCapture } from '../../ports/branch-mounts.ts'
import type { RunningCommand, ShellOutcome } from '../../ports/shell.ts'
import type { ToolContext } from '../../tools/tool.ts'
import type { AgentServices } from '../types/services.ts'
import type { OutputRing } from './output-ring.ts'
import { headOf, type ProcessTrial, shownChanges } from './process-trial.ts'

export interface ProcessStart {
  readonly id: ProcessId
  readonly threadId: ThreadId
  readonly branchId: BranchId
  /** The call that started it. Null for a person's. */
  readonly callId: ToolCallId | null
  readonly command: string
  readonly isApproved: boolean
  readonly context: Pick<ToolContext, 'access' | 'hosts'>
  /** Milliseconds after which it is ended; Infinity for never. */
  readonly timeoutMs: number
  /** False for one that keeps the files of its start, whatever becomes of its branch. */
  readonly follows: boolean
  readonly trial: ProcessTrial
  readonly ring: OutputRing
  readonly onOutput: () => void
}

export type Stopper = Exclude<ProcessEnd['by'], 'itself' | 'disk' | 'limit'>

/** A process that runs. */
export interface RunningProcess {
  readonly start: ProcessStart
  /** Resolves when it and all that it started have ended. Never rejects. */
  readonly ended: Promise<ProcessResult>
  write(text: string): void
  /** Asks it to end, and ends it for sure after a grace. The first caller is who ended it. */
  stop(by: Stopper, grace: number): void
  /** The ports on which it listens now. Empty where the system does not tell. */
  findPorts(): Promise<readonly number[]>
  /** Has its files follow the branch as it is now. */
  follow(): void
}

export interface ProcessResult extends Pick<ProcessEnd, 'by' | 'exitCode' | 'signal'> {
  /** What it left; null when nothing of it is kept. */
  readonly captured: MountCapture | null
  /** False when it was killed, so that nothing of what it left in ignored files is kept. */
  readonly isWhole: boolean
  /** The limit that it reached, as a sentence; empty for none. */
  readonly reached: string
  /** What the sandbox refused, as far as known. */
  readonly denied: readonly string[]
  /** Why nothing is kept; empty otherwise. */
  readonly problem: string
}

/** Starts the command. Throws `ShellError` when it cannot be started. */
export async function startProcess(services: AgentServices, start: ProcessStart): Promise<RunningProcess> {
  const controller = new AbortController()
  const held = Promise.withResolvers<RunningCommand>()
  const { command, trial, branchId, context, timeoutMs, ring, onOutput } = start
  let stopped: Stopper | null = null
  const outcome = services.shell.execute(
    {
      command,
      mount: trial.view,
      hosts: context.hosts,
      network: branchId,
      timeoutMs,
      onStart: held.resolve,
      onOutput(text) {
        ring.add(text)
        onOutput()
      },
    },
    controller.signal,
  )
  const ended = outcome
    .then(
      (value) => settle(start, value, stopped),
      () => settle(start, null, stopped),
    )
    .catch((error: unknown): ProcessResult => ({ ...unknownEnd, by: stopped ?? 'itself', problem: problemOf(error) }))
  const running = await Promise.race([held.promise, outcome.then(() => held.promise)]).catch(async (error) => {
    await ended
    throw error
  })
  const follower = createFollower(services, start, running)
  return {
    start,
    ended,
    write: running.write,
    findPorts: running.findPorts,
    stop(by, grace) {
      if (stopped === null) running.askToEnd()
      stopped ??= by
      void services.clock.sleep(grace, controller.signal).then(
        () => controller.abort(),
        () => undefined,
      )
      void ended.then(() => controller.abort())
    },
    follow: start.follows ? follower : () => {},
  }
}

const unknownEnd = { exitCode: null, signal: null, captured: null, isWhole: false, reached: '', denied: [] }

/**
 * `outcome` is null for a command that was killed. What a command changed in files of the project is kept however it
 * ended. What it left in ignored files is kept when it ended by itself, or after it was asked to: anything else may be
 * half of it.
 */
async function settle(
  { trial, timeoutMs }: ProcessStart,
  outcome: ShellOutcome | null,
  stopped: Stopper | null,
): Promise<ProcessResult> {
  const by = stopped ?? enderOf(outcome)
  const end = {
    ...{ by, exitCode: outcome?.exitCode ?? null, signal: outcome ? outcome.signal : 'SIGKILL' },
    isWhole: outcome?.endedBy === 'itself' && (outcome.exitCode !== null || stopped !== null),
    reached: reachedIn(outcome, timeoutMs),
    denied: outcome?.denied ?? [],
  }
  if (by === 'disk') return { ...end, captured: null, problem: 'Nothing that it wrote was kept.' }
  try {
    return { ...end, captured: await trial.capture(end.isWhole), problem: '' }
  } catch (error) {
    return { ...end, captured: null, problem: problemOf(error) }
  }
}

function reachedIn(outcome: ShellOutcome | null, timeoutMs: number): string {
  if (outcome?.endedBy === 'time') return `It was ended after ${timeoutMs / 1000} seconds.`
  return outcome?.reached === undefined ? '' : `${outcome.reached}.`
}

function enderOf(outcome: ShellOutcome | null): 'itself' | 'disk' | 'limit' {
  switch (outcome?.endedBy) {
    case undefined:
    case 'itself':
      return 'itself'
    case 'disk':
      return 'disk'
    default:
      return 'limit'
  }
}

function problemOf(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error)
  return error instanceof BranchMountError ? why : `Its changes could not be read: ${why}`
}

/** One step at a time, in the order of the branch's states. A state that was passed while a step ran is left out. */
function createFollower(
  services: AgentServices,
  { branchId, trial, context }: ProcessStart,
  running: RunningCommand,
): () => void {
  let shown = trial.tree
  let isBusy = false
  const step = async (): Promise<void> => {
    const now = headOf(services, branchId)
    if (now === shown) return
    const changes = await shownChanges(services, shown, now, { access: context.access, hidden: trial.hidden.paths })
    shown = now
    running.show(changes)
    await step()
  }
  return () => {
    if (isBusy) return
    isBusy = true
    void step()
      .catch(() => undefined)
      .finally(() => {
        isBusy = false
      })
  }
}
