import type { Readable } from 'node:stream'

/** In bytes and milliseconds: 10 MB in a second, faster than anybody reads. */
const mostAtOnce = 512 * 1024
const pauseMs = 50

/**
 * Reads a stream no faster than this. A program that never ends may print without an end, and reading all of it would
 * leave no time for anything else. The program waits meanwhile.
 */
export function limitRate(stream: Readable): void {
  let bytes = 0
  let since = performance.now()
  stream.on('data', (chunk: Buffer) => {
    if (performance.now() - since > pauseMs) {
      bytes = 0
      since = performance.now()
    }
    bytes += chunk.length
    if (bytes < mostAtOnce || stream.isPaused()) return
    stream.pause()
    setTimeout(() => stream.resume(), pauseMs)
  })
}
