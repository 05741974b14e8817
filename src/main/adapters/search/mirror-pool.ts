import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { OverlayText } from '#core/ports/search.ts'
import { createOverlayMirror, type OverlayMirror } from './overlay-mirror.ts'

export interface BorrowedMirror extends Disposable {
  readonly folder: string
}

/**
 * Keeps mirrors between searches, so that the next search of a branch writes only what changed. One search uses a
 * mirror at a time.
 */
export interface MirrorPool extends Disposable {
  borrow(files: readonly OverlayText[], signal: AbortSignal): Promise<BorrowedMirror>
}

const mostKept = 2
/** A mirror with more files is not worth its disk space. */
const mostKeptFiles = 20_000

/** `folder` belongs to the pool alone. The first search removes what an earlier process left there. */
export function createMirrorPool(folder: string): MirrorPool {
  const idle: OverlayMirror[] = []
  let made = 0
  let closed = false

  function take(): OverlayMirror {
    const known = idle.pop()
    if (known) return known
    if (made === 0) rmSync(folder, { recursive: true, force: true })
    made += 1
    return createOverlayMirror(join(folder, String(made)))
  }

  function giveBack(mirror: OverlayMirror): void {
    if (closed || idle.length >= mostKept || mirror.size() > mostKeptFiles) mirror.remove()
    else idle.push(mirror)
  }

  return {
    async borrow(files, signal) {
      const mirror = take()
      try {
        await mirror.show(files, signal)
        return { folder: mirror.folder, [Symbol.dispose]: () => giveBack(mirror) }
      } catch (error) {
        mirror.remove()
        throw error
      }
    },
    [Symbol.dispose]() {
      closed = true
      for (const mirror of idle.splice(0)) mirror.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
