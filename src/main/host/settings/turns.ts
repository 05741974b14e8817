import { setImmediate } from 'node:timers'

const longestMs = 5

/**
 * Numbers the turns of the event loop, and within a long one each few milliseconds. So what was read of the disk under
 * the present number is as new as that. Messages may come in between, because the loop takes those after its timers and
 * before the immediates.
 */
export function createTurns(now: () => number = () => performance.now()): () => number {
  let turn = 0
  let began = Number.NEGATIVE_INFINITY
  let isCounted = false
  const begin = (): void => {
    turn += 1
    began = now()
  }
  return () => {
    if (now() - began > longestMs) begin()
    if (!isCounted) {
      isCounted = true
      setImmediate(() => {
        isCounted = false
        begin()
      })
    }
    return turn
  }
}
