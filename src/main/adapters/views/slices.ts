import { setImmediate } from 'node:timers/promises'

const sliceMs = 8

/** Long synchronous work lets others in every few milliseconds. */
export interface Slices {
  pause(): Promise<void>
}

export function createSlices(): Slices {
  let end = performance.now() + sliceMs
  return {
    async pause() {
      if (performance.now() < end) return
      await setImmediate()
      end = performance.now() + sliceMs
    },
  }
}
