import type { JsonValue } from '#shared/base/json.ts'

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

export interface RunRequest {
  readonly language: 'javascript' | 'python'
  readonly code: string
  readonly files: RunnerFiles
  readonly limits: RunnerLimits
  /** Gives the code the function `spawnSubagent`, which declares tasks. */
  readonly declares?: boolean
}

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
  readonly code: 'unavailable' | 'unsupported_language'

  constructor(code: CodeRunnerError['code'], message: string) {
    super(message)
    this.name = 'CodeRunnerError'
    this.code = code
  }
}
