import type { RunnerFiles, RunnerLimits } from '#core/ports/code-runner.ts'

/** What parent and child say to each other. The child is not trusted: the parent checks the shape of all it hears. */
export type ToChild =
  | { readonly type: 'run'; readonly code: string; readonly limits: RunnerLimits; readonly declares: boolean }
  | { readonly type: 'answer'; readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly type: 'answer'; readonly id: number; readonly ok: false; readonly message: string }

export type BridgeMethod = keyof RunnerFiles
export const bridgeMethods: ReadonlySet<string> = new Set<BridgeMethod>(['read', 'write', 'list', 'exists', 'delete'])

export type FromChild =
  | { readonly type: 'ready' }
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  /** At most one call waits for its answer at a time, so that a flood stays in the child. */
  | { readonly type: 'call'; readonly id: number; readonly method: BridgeMethod; readonly args: readonly string[] }
  | { readonly type: 'limit'; readonly limit: Limit }
  | ({ readonly type: 'done' } & IsolateOutcome)

export interface IsolateOutcome {
  readonly ok: boolean
  readonly json: string
  readonly error: string | null
  /** Tasks as JSON. */
  readonly declared: readonly string[]
}

export type Limit = 'time' | 'memory' | 'output' | 'bridge'

/** Characters of one text that crosses the bridge. */
export const bridgeTextLimit = 8 * 1024 * 1024
