import { setImmediate } from 'node:timers/promises'

/**
 * The bytes that the process holds after two collections with a turn between them. Memory that the first collection
 * finds unused is released in that turn.
 */
export async function heldBytes(): Promise<number> {
  if (!globalThis.gc) throw new Error('Run Node with --expose-gc')
  for (let round = 0; round < 2; round += 1) {
    globalThis.gc()
    await setImmediate()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
