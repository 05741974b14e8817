import type { BranchId, ProcessId, Sequence, ThreadId } from './ids.ts'
import type { Patch } from './patch.ts'

/**
 * Why a process ended: by `itself`, because its `agent` or a `person` stopped it, with the `run` of its agent, because it
 * filled the `disk` or reached another `limit`, or with the `app`.
 */
export const processEnders = ['itself', 'agent', 'person', 'run', 'disk', 'limit', 'app'] as const

export interface ProcessEnd {
  readonly by: (typeof processEnders)[number]
  /** Null when a signal ended it, and when nobody knows. */
  readonly exitCode: number | null
  /** The signal's name, such as `SIGTERM`; null when it exited on its own, and when nobody knows. */
  readonly signal: string | null
  /** The limit that it reached and what became of its changes, in sentences for the agent and people. Empty when there is nothing to say. */
  readonly note: string
  /** Milliseconds since the Unix epoch. */
  readonly at: number
}

/** A command that stays, as the journal knows it. It belongs to the branch of its thread. */
export interface ProcessRecord {
  readonly id: ProcessId
  readonly threadId: ThreadId
  readonly branchId: BranchId
  readonly command: string
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number
  /** Null while it runs. */
  readonly end: ProcessEnd | null
}

/** A terminal of a person in a branch, until what it changed is decided. One that changed nothing has no record. */
export interface TerminalRecord {
  /** Chosen by the window that opened it. */
  readonly id: string
  /** The thread of the branch. */
  readonly threadId: ThreadId
  readonly branchId: BranchId
  /** The entry of its start. It showed the branch as it was then. */
  readonly startedAt: Sequence
  /** What it changed, to be kept or dropped. Null while it runs. */
  readonly patch: Patch | null
}

/** A process with what only the app that runs it knows. */
export interface ProcessView extends ProcessRecord {
  /** True when a person lets it go on after the run of its agent. */
  readonly isKept: boolean
  /** The ports on which it and what it started listen, sorted. Empty once it has ended. */
  readonly ports: readonly number[]
  /** Ports of its branch on which no process is known to listen, sorted: of a command, or where the system does not tell. */
  readonly branchPorts: readonly number[]
  /** Bytes of output since its start, including those that are not kept any more. */
  readonly outputBytes: number
}

/** A part of a process's output. */
export interface ProcessOutput {
  readonly text: string
  /** The position after the text, in bytes since the start. */
  readonly next: number
  /** Bytes between the asked position and the text that are not kept any more. */
  readonly droppedBytes: number
}

/** How a process ended, as a clause: `ended with exit code 1`. */
export function endClause({ by, exitCode, signal }: Pick<ProcessEnd, 'by' | 'exitCode' | 'signal'>): string {
  switch (by) {
    case 'itself':
      if (exitCode !== null) return `ended with exit code ${exitCode}`
      return signal === null ? 'ended' : `was ended by the signal ${signal}`
    case 'agent':
      return 'was stopped'
    case 'person':
      return 'was stopped by the user'
    case 'run':
      return 'was ended with the run'
    case 'disk':
      return 'was ended, because it filled the disk'
    case 'limit':
      return 'was ended, because it reached a limit'
    case 'app':
      return 'was ended with the app'
  }
}
