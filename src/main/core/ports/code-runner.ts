import { defineError } from '#shared/base/define-error.ts'
import type { JsonValue } from '#shared/base/json.ts'
import type { MountPlace, MountView } from './branch-mounts.ts'

/**
 * The branch as running code sees it. Every call uses the same code as the file tools, and rejections reach the running
 * code as errors.
 */
export interface RunnerFiles {
  /** The file as text. Rejects when it is missing or not text. */
  read(path: string): Promise<string>
  /** Creates or replaces the file, and the folders above it. */
  write(path: string, content: string): Promise<void>
  /** Names of a folder's entries; folders end with `/`. Rejects when there is no folder. */
  list(path: string): Promise<readonly string[]>
  /** True for files and folders. Rejects only for a path that is refused. */
  exists(path: string): Promise<boolean>
  /** Deletes a file, or a folder with everything below it. */
  delete(path: string): Promise<void>
}

export interface RunnerLimits {
  /** Wall-clock time, including waits for file calls. */
  readonly timeoutMs: number
  /** Megabytes of heap. The process may use a fixed amount more. */
  readonly memoryMb: number
  /** Limits standard output and error together, and the value as JSON. */
  readonly outputBytes: number
  /** How often the code may call `RunnerFiles`. */
  readonly bridgeCalls: number
}

export const defaultRunnerLimits: RunnerLimits = {
  timeoutMs: 30_000,
  memoryMb: 128,
  outputBytes: 256 * 1024,
  bridgeCalls: 100_000,
}

/** Subagents that a script awaited at the same time, and what each came to. */
export interface AwaitedRound {
  /** As the script asked for them, each as JSON. */
  readonly tasks: readonly string[]
  /** Their results in the same order, each as JSON. */
  readonly results: readonly string[]
}

/** Lets code await subagents. */
export interface Awaiting {
  /** The rounds that have ended. Their results are given when the code asks for the same tasks again. */
  readonly rounds: readonly AwaitedRound[]
  /** Makes the code's random numbers, so that they are the same each time it is run again. */
  readonly seed: number
}

interface AnyRun {
  readonly code: string
  readonly limits: RunnerLimits
  /** Absent for code that may not await subagents. */
  readonly awaiting?: Awaiting
}

export interface JavaScriptRun extends AnyRun {
  readonly language: 'javascript'
  /** Answers one call at a time. */
  readonly files: RunnerFiles
  /**
   * True for code that is certainly TypeScript. Otherwise types are stripped only when it does not parse as JavaScript.
   */
  readonly typescript?: boolean
  /** Gives the code the function `spawnSubagent`, which declares tasks. */
  readonly declares?: boolean
  /**
   * Variables and functions of earlier runs, as an earlier run returned them. Null begins with none; absent keeps none
   * either.
   */
  readonly state?: Uint8Array | null
}

export interface PythonRun extends AnyRun {
  readonly language: 'python'
  /** The folder that the code sees as `/` and may change. */
  readonly mount: Pick<MountView, 'folder' | 'enter'>
  /** Folders that the code sees beside it, under the paths of the file tools. */
  readonly places?: readonly MountPlace[]
  /** The script's name in error messages. `code.py` when absent. */
  readonly scriptName?: string
  /** Variables and functions of earlier runs, as an earlier run returned them. Without it the run begins with none. */
  readonly state?: Uint8Array | null
}

/**
 * Most bytes of a state, before compression. Larger ones are not kept: every run loads its state and stores a new one.
 */
export const stateBytesLimit = 4 * 1024 * 1024

/** The variables and functions around a run. */
export interface CodeState {
  /** False when the given state could not be used, so that the code began without variables. */
  readonly restored: boolean
  /**
   * Bytes for the next run, which only the language's own runner understands; empty for no variables. Null after a failed run, and when the state takes
   * more than `stateBytesLimit`.
   */
  readonly after: Uint8Array | null
  /** Names of variables that could not be kept. Absent for Python, which keeps all. */
  readonly lost?: readonly string[]
}

export type RunRequest = JavaScriptRun | PythonRun

/** The result that the model reads. The field names are part of the tool contract. */
export interface RunOutcome {
  /** False when the code threw or exceeded a limit. */
  readonly ok: boolean
  /** What the code returned; null when it returned nothing or failed. */
  readonly value: JsonValue
  /** At most `RunnerLimits.outputBytes`, together with `stderr`. */
  readonly stdout: string
  /** Empty when the code printed no errors. */
  readonly stderr: string
  /** Names the exceeded limit or the thrown error. Null when `ok`. */
  readonly error: string | null
  /** Wall-clock milliseconds. */
  readonly duration_ms: number
}

export interface RunResult {
  /** Present even for a failed run, because failing code is a result, not an exception. */
  readonly outcome: RunOutcome
  /** The declared tasks as JSON, in order. Empty for a failed run. */
  readonly declared: readonly string[]
  /**
   * The tasks that the code waits for, each as JSON. The run has ended without an outcome of its own: run the code again
   * with one more round. Absent for a run that waits for none.
   */
  readonly awaits?: readonly string[]
  /** Absent for a run that keeps nothing. */
  readonly state?: CodeState
}

/** Runs code in a child process that the parent can kill. */
export interface CodeRunner {
  /** Throws `CodeRunnerError` when no process can be started, and the abort reason. */
  run(request: RunRequest, signal: AbortSignal): Promise<RunResult>
}

export const CodeRunnerError = defineError<'unavailable'>('CodeRunnerError')
export type CodeRunnerError = InstanceType<typeof CodeRunnerError>
