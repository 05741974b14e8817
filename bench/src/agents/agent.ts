import type { ChildProcess } from 'node:child_process'
import type { ApiRequest, Call } from '../../../e2e/model-server/scenario.ts'

/** Where one session of an agent works. Nothing in it is shared with another session, except the project itself. */
export interface Place {
  readonly project: string
  /** The home folder of the session, where the agent keeps what it stores. */
  readonly home: string
  /** The address of the scripted model. */
  readonly url: string
}

/** An agent that people run on a command line: how it is started, and how it names the calls that all of them have. */
export interface Agent {
  /** With its version, as the tables show it. */
  readonly name: string
  /** Starts one task without a person. All calls are approved. */
  start(place: Place, task: string): ChildProcess
  /** Goes on with the last session of the place. */
  resume(place: Place, task: string): ChildProcess
  /** Whether a request is a turn of the agent itself, and not a title or another small job. */
  isTurn(request: ApiRequest): boolean
  /** Its own names for the calls that are measured, with paths from the project's root. */
  calls(project: string): Calls
}

/** The calls that all agents have, under each one's names. */
export interface Calls {
  read(path: string): Call
  edit(path: string, before: string, after: string): Call
  command(text: string): Call
}

/** What all agents get from the environment: a way to programs, a home, and the model's address with a key. */
export function environmentOf({ home, url }: Place): NodeJS.ProcessEnv {
  const { PATH, LANG } = process.env
  return { PATH, LANG, HOME: home, ANTHROPIC_API_KEY: 'sk-bench', ANTHROPIC_BASE_URL: url }
}
