import type { JsonObject } from '#shared/base/json.ts'

/** One question to a program of the user. */
export interface ProgramQuestion {
  /** The program and its arguments. Programs with equal commands share one process. */
  readonly command: readonly string[]
  readonly message: JsonObject
  /** For the answer, after which the program is ended. */
  readonly timeoutMs: number
}

/** Programs and servers of the user that speak lines of JSON. They run as the user does, outside every sandbox. */
export interface JsonPrograms extends AsyncDisposable {
  /** Writes one line and returns the next one. Throws `JsonProgramError`, and the abort reason. */
  ask(question: ProgramQuestion, signal: AbortSignal): Promise<JsonObject>
  /** Posts a message and returns the lines of the answer. Throws `JsonProgramError`, and the abort reason. */
  post(url: string, message: JsonObject, signal: AbortSignal): Promise<readonly JsonObject[]>
}

/** A program that ended, was too slow, or said something that is not a JSON object. */
export class JsonProgramError extends Error {
  override readonly name = 'JsonProgramError'
}
