import type { JsonObject } from '#shared/base/json.ts'

/** One question to a program of the user. */
export interface ProgramQuestion {
  /** The program and its arguments. Programs with equal commands share one process. */
  readonly command: readonly string[]
  readonly message: JsonObject
  /** For the answer, after which the process is ended. The questions of others are asked on a new one. */
  readonly timeoutMs: number
}

/** Programs and servers of the user that speak lines of JSON. They run as the user does, outside every sandbox. */
export interface JsonPrograms extends AsyncDisposable {
  /**
   * Writes the message as one line, with `id` and the project's `folder`, and returns the line that repeats the id,
   * without it. Lines with `event` and without an id are left out; any other line fails the question and ends the
   * process. An abort drops only this question. Throws `JsonProgramError`, and the abort reason.
   */
  ask(question: ProgramQuestion, signal: AbortSignal): Promise<JsonObject>
  /** Posts a message and returns the lines of the answer. Throws `JsonProgramError`, and the abort reason. */
  post(url: string, message: JsonObject, signal: AbortSignal): Promise<readonly JsonObject[]>
}

/** A program that ended, was too slow, or said something that is no answer. */
export class JsonProgramError extends Error {
  override readonly name = 'JsonProgramError'
}
