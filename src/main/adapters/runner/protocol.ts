import type { MountPlace } from '#core/ports/branch-mounts.ts'
import type { AwaitedRound, JavaScriptRun, PythonRun, RunnerFiles } from '#core/ports/code-runner.ts'

/** A run of Python as sent to the child. */
export interface PythonChildRun extends Omit<PythonRun, 'mount' | 'state' | 'places' | 'awaiting'> {
  readonly folder: string
  readonly rounds: readonly AwaitedRound[] | null
  readonly places: readonly MountPlace[]
  /** In base64. */
  readonly state: string | null
  /** The child prints this text when the code has ended. The code cannot know it. */
  readonly endOfOutput: string
}

/** A run as sent to the child. The files of JavaScript stay with the parent, behind the bridge. */
export type ChildRun = JavaScriptChildRun | PythonChildRun

/** A run of JavaScript as sent to the child. The parent gives it each round when it waits for it. */
export interface JavaScriptChildRun extends Omit<JavaScriptRun, 'files' | 'state' | 'awaiting'> {
  /** Null for code that may not await subagents. */
  readonly seed: number | null
  /** In base64. Absent for a run that keeps nothing. */
  readonly state?: string | null
}

/** Messages between parent and child. The parent does not trust the child and checks the shape of each message. */
export type ToChild =
  /** Sent at once, so that the child has received a message before the run comes. It needs no answer. */
  | { readonly type: 'hello' }
  | { readonly type: 'run'; readonly run: ChildRun }
  | { readonly type: 'answer'; readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly type: 'answer'; readonly id: number; readonly ok: false; readonly message: string }
  /** The results of the round that the code waits for, as JSON. */
  | { readonly type: 'results'; readonly results: AwaitedRound['results'] }

export type BridgeAnswer = Extract<ToChild, { type: 'answer' }>
export type BridgeMethod = keyof RunnerFiles
export type Stream = 'stdout' | 'stderr'

export type FromChild =
  | { readonly type: 'ready' }
  /** The native module for the language did not load. */
  | { readonly type: 'unavailable'; readonly why: string }
  | { readonly type: 'output'; readonly stream: Stream; readonly text: string }
  /** The child sends one call at a time and waits for its answer, so that a flood stays in the child. */
  | { readonly type: 'call'; readonly id: number; readonly method: BridgeMethod; readonly args: readonly string[] }
  | { readonly type: 'limit'; readonly limit: Limit }
  /** The code can do nothing more before it has the results of these tasks. `round` counts from 0. */
  | ({ readonly type: 'awaits' } & Awaited)
  | ({ readonly type: 'done' } & EngineOutcome)
  /**
   * Follows `done` after a run that keeps a state, in base64. Null when the run failed or the state is too large. It is a
   * message of its own, because a child may die of packing a large state. `lost`: names of what could not be packed.
   */
  | { readonly type: 'state'; readonly state: string | null; readonly lost?: readonly string[] }

export type BridgeCall = Extract<FromChild, { type: 'call' }>

export interface EngineOutcome {
  readonly ok: boolean
  /** The value, as JSON. */
  readonly json: string
  readonly error: string | null
  /** Each task as JSON. */
  readonly declared: readonly string[]
  /** True when the given state could not be used. */
  readonly stateLost?: boolean
  /** Takes the place of the outcome of code that can only wait by ending. */
  readonly awaits?: Awaited
}

export interface Awaited {
  readonly round: number
  /** Each as JSON. */
  readonly tasks: readonly string[]
}

export type Limit = 'time' | 'memory' | 'output' | 'bridge'

/** Characters in one text that crosses the bridge. */
export const bridgeTextLimit = 8 * 1024 * 1024
/** Megabytes that Node itself takes, in addition to the code's limit. */
export const residentMargin = 160

const methods: ReadonlySet<string> = new Set<BridgeMethod>(['read', 'write', 'list', 'exists', 'delete'])
const limits: ReadonlySet<string> = new Set<Limit>(['time', 'memory', 'output', 'bridge'])

export function isFromChild(message: unknown): message is FromChild {
  if (typeof message !== 'object' || message === null || !('type' in message)) return false
  const { type, ...rest } = message as Record<string, unknown>
  switch (type) {
    case 'ready':
      return true
    case 'unavailable':
      return typeof rest.why === 'string'
    case 'output':
      return (rest.stream === 'stdout' || rest.stream === 'stderr') && typeof rest.text === 'string'
    case 'call':
      return typeof rest.id === 'number' && methods.has(String(rest.method)) && isTexts(rest.args)
    case 'limit':
      return limits.has(String(rest.limit))
    case 'awaits':
      return typeof rest.round === 'number' && isTexts(rest.tasks)
    case 'done':
      return isOutcome(rest)
    case 'state':
      return (rest.state === null || typeof rest.state === 'string') && (rest.lost === undefined || isTexts(rest.lost))
    default:
      return false
  }
}

function isOutcome({ ok, json, error, declared, stateLost }: Record<string, unknown>): boolean {
  return (
    (stateLost === undefined || typeof stateLost === 'boolean') &&
    typeof ok === 'boolean' &&
    typeof json === 'string' &&
    (error === null || typeof error === 'string') &&
    isTexts(declared)
  )
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
