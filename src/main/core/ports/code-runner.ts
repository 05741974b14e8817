import type { JsonValue } from '#shared/base/json.ts'
import type { BranchView } from './branch-views.ts'

/** The branch as running code sees it; every call is the file tools' own code. Rejections reach the code as errors. */
export interface RunnerFiles {
  read(path: string): Promise<string>
  write(path: string, content: string): Promise<void>
  list(path: string): Promise<readonly string[]>
  exists(path: string): Promise<boolean>
  delete(path: string): Promise<void>
}

export interface RunnerLimits {
  readonly timeoutMs: number
  readonly memoryMb: number
  readonly outputBytes: number
  readonly bridgeCalls: number
}

export const defaultRunnerLimits: RunnerLimits = {
  timeoutMs: 30_000,
  memoryMb: 128,
  outputBytes: 256 * 1024,
  bridgeCalls: 100_000,
}

interface AnyRun {
  readonly code: string
  readonly limits: RunnerLimits
}

export interface JavaScriptRun extends AnyRun {
  readonly language: 'javascript'
  readonly files: RunnerFiles
  /** The code is TypeScript for sure; else types are taken out only where it is no JavaScript. */
  readonly typescript?: boolean
  /** Gives the code the function `spawnSubagent`, which declares tasks. */
  readonly declares?: boolean
}

export interface PythonRun extends AnyRun {
  readonly language: 'python'
  /** What the code sees as `/` and may change. */
  readonly view: Pick<BranchView, 'folder' | 'enter'>
}

export type RunRequest = JavaScriptRun | PythonRun

/** What the model reads; field names are part of the tool contract. */
export interface RunOutcome {
  readonly ok: boolean
  readonly value: JsonValue
  readonly stdout: string
  readonly stderr: string
  /** Names the limit when one was passed. */
  readonly error: string | null
  readonly duration_ms: number
}

export interface RunResult {
  readonly outcome: RunOutcome
  /** What the code declared, in its order, as JSON; nothing of a run that failed. */
  readonly declared: readonly string[]
}

/** Code is always run in a child process that the parent can kill. */
export interface CodeRunner {
  run(request: RunRequest, signal: AbortSignal): Promise<RunResult>
}

export class CodeRunnerError extends Error {
  readonly code: 'unavailable'

  constructor(code: CodeRunnerError['code'], message: string) {
    super(message)
    this.name = 'CodeRunnerError'
    this.code = code
  }
}
