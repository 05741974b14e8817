import type { Result } from '#shared/base/result.ts'
import type { ProcessId, ThreadId } from '#shared/model/ids.ts'
import type { ProcessOutput, ProcessView } from '#shared/model/process.ts'
import type { ToolContext } from '../tool.ts'

/** The commands of agents that stay. Each belongs to the thread that started it and to that thread's branch. */
export interface Processes {
  /** Returns once the process runs, or says why it cannot start. Throws `ShellError` and the abort reason. */
  start(command: string, context: ToolContext): Promise<Result<ProcessView, string>>
  /** The processes of a thread, oldest first, also those that have ended. */
  list(threadId: ThreadId): readonly ProcessView[]
  /** The output from a position on, or from as far back as it is kept. Undefined for an unknown process. */
  output(threadId: ThreadId, id: ProcessId, since: number): ProcessOutput | undefined
  /** Where the agent's last reading of the output ended; 0 before the first. */
  position(threadId: ThreadId, id: ProcessId): number
  /**
   * At most so many bytes of output for the agent, from a position on. Null is for the end of what came since its last
   * reading. Undefined for an unknown process.
   */
  read(threadId: ThreadId, id: ProcessId, since: number | null, most: number): ProcessOutput | undefined
  /**
   * What the agent must know about the files that a process sees and was not told yet, as lines; empty for nothing.
   * `output` is what the agent reads of it now.
   */
  news(threadId: ThreadId, id: ProcessId, output: string): string
  /**
   * Resolves when the process has ended, or at its first output after `since`, or after this many milliseconds. Null for
   * `since` waits for the end alone. Rejects with the abort reason.
   */
  wait(
    threadId: ThreadId,
    id: ProcessId,
    since: number | null,
    milliseconds: number,
    signal: AbortSignal,
  ): Promise<void>
  /** False when it does not run. */
  write(threadId: ThreadId, id: ProcessId, text: string): boolean
  /** Ends it with all that it started, and resolves when its changes are stored. Does nothing when it does not run. */
  stop(threadId: ThreadId, id: ProcessId, by: 'agent' | 'person'): Promise<void>
}
