import type { ModelError } from '../ports/model-client.ts'

export interface RetryPolicy {
  /** Tries in all, the first one included. */
  readonly attempts: number
  readonly baseDelayMs: number
  readonly maxDelayMs: number
}

export const defaultRetry: RetryPolicy = { attempts: 6, baseDelayMs: 1_000, maxDelayMs: 60_000 }

/**
 * Milliseconds before try `attempt + 1`, or null to give up. What the server asked for is obeyed; else exponential
 * backoff, of which `random` (0–1) takes up to half away, so that parallel agents do not come back together.
 */
export function retryDelay(policy: RetryPolicy, error: ModelError, attempt: number, random: number): number | null {
  if (!error.retryable || attempt >= policy.attempts) return null
  if (error.retryAfterMs !== null) return Math.min(error.retryAfterMs, policy.maxDelayMs)
  const delay = Math.min(policy.baseDelayMs * 2 ** (attempt - 1), policy.maxDelayMs)
  return Math.round(delay * (1 - random / 2))
}
