import { setImmediate } from 'node:timers'

/**
 * Numbers the turns of the event loop. What was read of the disk in this turn is at most a few milliseconds old, and no
 * click or message can have come since: those wait for the next turn.
 */
export function createTurns(): () => number {
  let turn = 0
  let isCounted = false
  return () => {
    if (!isCounted) {
      isCounted = true
      setImmediate(() => {
        isCounted = false
        turn += 1
      })
    }
    return turn
  }
}
