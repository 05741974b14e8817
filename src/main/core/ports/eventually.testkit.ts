import { vi } from 'vitest'

/** Below the limit of a test, so that the message says what was waited for. In milliseconds. */
const patience = 50_000

/**
 * Waits until `act` throws no more, and returns what it returned. On a busy machine a second is nothing, so only a test that
 * would fail anyway runs out of patience. `interval` is in milliseconds.
 */
export function eventually<T>(act: () => T | Promise<T>, { interval = 20 } = {}): Promise<T> {
  return vi.waitFor(act, { timeout: patience, interval })
}
