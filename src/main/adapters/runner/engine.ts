import type { Awaited, BridgeAnswer, BridgeMethod, ChildRun, EngineOutcome, Limit, Stream } from './protocol.ts'

/** The process that an engine runs in. */
export interface EngineHost {
  log(stream: Stream, text: string): void
  call(id: number, method: BridgeMethod, args: readonly string[]): void
  /** Reports a passed limit. The parent then kills the process. */
  limit(limit: Limit): void
  /** The code can only wait. The parent gives the results, or ends the run. */
  awaits(awaited: Awaited): void
}

/** What a run leaves for the next one. */
export interface KeptState {
  /** In base64; null when it is too large. */
  readonly state: string | null
  /** Names of what could not be packed. Absent for nothing. */
  readonly lost?: readonly string[]
}

export interface RunningCode {
  readonly finished: Promise<EngineOutcome>
  /** Packs what the next run needs. Absent for a run that keeps nothing. */
  readonly packState?: () => KeptState | Promise<KeptState>
  /** Settles one pending bridge call in the code. */
  deliver(answer: BridgeAnswer): void
  /** Gives the code the results that it waits for. Absent for code that can only wait by ending. */
  resume?(results: readonly string[]): void
}

/** Runs code of one language inside the child. Used once. */
export type Engine = (run: ChildRun, host: EngineHost) => RunningCode
