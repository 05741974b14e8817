import type { BridgeAnswer, BridgeMethod, ChildRun, EngineOutcome, Limit, Stream } from './protocol.ts'

/** What an engine needs of the process it runs in. */
export interface EngineHost {
  log(stream: Stream, text: string): void
  call(id: number, method: BridgeMethod, args: readonly string[]): void
  /** Ends the run; the parent kills the process. */
  limit(limit: Limit): void
}

export interface RunningCode {
  readonly finished: Promise<EngineOutcome>
  /** Settles one bridge call in the code. */
  deliver(answer: BridgeAnswer): void
}

/** Runs code of one language inside the child, once. */
export type Engine = (run: ChildRun, host: EngineHost) => RunningCode
