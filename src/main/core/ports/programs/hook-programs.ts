import type { JsonObject } from '#shared/base/json.ts'

/** A hook as a program: one that is started for each question. */
export interface HookProgram {
  /** A line for the shell, or a program with its arguments, which no shell reads. */
  readonly command: string
  /** Null for a line for the shell. */
  readonly args: readonly string[] | null
  readonly timeoutMs: number
}

/** How a hook ended. What it printed is cut at a limit. */
export interface HookEnd {
  /** Null when it did not end by itself. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** Why it has no answer, as a sentence: it could not start, took too long, printed too much. Null when it ended by itself. */
  readonly problem: string | null
  /** The project's folder as it found it. Absent where that is known before. */
  readonly folder?: string
}

/** Characters of a hook's output that count. One that prints more is ended. */
export const mostHookOutput = 1024 * 1024

/** Runs hooks of the person, as the person, outside every sandbox. */
export interface HookPrograms {
  /** Gives it the message on its standard input. Everything that it started ends with it. Throws the abort reason alone. */
  run(program: HookProgram, message: JsonObject, signal: AbortSignal): Promise<HookEnd>
}
