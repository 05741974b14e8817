import type { BridgeAnswer, BridgeMethod, ChildRun, EngineOutcome, Limit, Stream } from './protocol.ts'

/** The process that an engine runs in. */
export interface EngineHost {
  log(stream: Stream, text: string): void
  call(id: number, method: BridgeMethod, args: readonly string[]): void
  /** Reports a passed limit. The parent then kills the process. */
  limit(limit: Limit): void
}

export interface RunningCode {
  readonly finished: Promise<EngineOutcome>
  /** Packs what the next run needs, in base64; null when there is nothing to keep. Absent for a language without it. */
  readonly packState?: () => string | null
  /** Settles one pending bridge call in the code. */
  deliver(answer: BridgeAnswer): void
}

/** Runs code of one language inside the child. Used once. */
export type Engine = (run: ChildRun, host: EngineHost) => RunningCode
