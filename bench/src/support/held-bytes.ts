import { setImmediate } from 'node:timers/promises'

/** What the process holds. Collected twice, with a turn between: what the first collection finds unused is let go of in the turn after it. */
export async function heldBytes(): Promise<number> {
  if (!globalThis.gc) throw new Error('Run Node with --expose-gc')
  for (let round = 0; round < 2; round += 1) {
    globalThis.gc()
    await setImmediate()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
