import { type FSWatcher, mkdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface TreeWatchOptions {
  /** A folder that belongs to the watch alone. */
  readonly pulseFolder: string
  /** Something happened to an entry of a watched folder. A hint: it says neither what, nor that it is over. */
  readonly onEvent: (folder: string, name: string) => void
  /** Events were dropped, so anything may have changed. */
  readonly onLost: () => void
}

/** Watches the direct content of folders, all through one queue of the system. */
export interface TreeWatch extends Disposable {
  /** False when the system, or a fair share of it, has no watch left. Watches the folder that is there now. */
  add(folder: string): boolean
  remove(folder: string): void
  /** Resolves when every change made before the call was reported. False when that cannot be known. */
  catchUp(): Promise<boolean>
}

const pulseMs = 2_000

/**
 * One watch for each folder, which only Linux makes cheap. Its queue has a length, and what does not fit is lost. Node
 * does not tell of that. But a queue that was full is read in one go, so a go with many events counts as a loss.
 */
export function createTreeWatch({ pulseFolder, onEvent, onLost }: TreeWatchOptions): TreeWatch {
  const mostWatches = limitOf('max_user_watches') / 2
  const mostInOneGo = limitOf('max_queued_events') / 4
  const watchers = new Map<string, FSWatcher>()
  const awaited = new Map<string, () => void>()
  let inOneGo = 0
  let pulses = 0

  function count(): void {
    inOneGo += 1
    if (inOneGo === 1)
      setImmediate(() => {
        if (inOneGo > mostInOneGo) onLost()
        inOneGo = 0
      })
  }

  mkdirSync(pulseFolder, { recursive: true, mode: 0o700 })
  const pulse = watch(pulseFolder, (_, name) => {
    count()
    awaited.get(name ?? '')?.()
  })
  pulse.on('error', () => undefined)

  return {
    add(folder) {
      const before = watchers.get(folder)
      if (!before && watchers.size >= mostWatches) return false
      try {
        const watcher = watch(folder, (_, name) => {
          count()
          onEvent(folder, name ?? '')
        })
        watcher.on('error', () => onLost())
        watchers.set(folder, watcher)
        // Only now: between two watches, a change would go unnoticed.
        before?.close()
        return true
      } catch (error) {
        // A folder that is gone was reported by the one above. Any other folder cannot be watched.
        return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
      }
    },
    remove(folder) {
      watchers.get(folder)?.close()
      watchers.delete(folder)
    },
    async catchUp() {
      pulses += 1
      const name = String(pulses)
      const file = join(pulseFolder, name)
      let timer: NodeJS.Timeout | undefined
      const arrived = await new Promise<boolean>((resolve) => {
        awaited.set(name, () => resolve(true))
        timer = setTimeout(() => resolve(false), pulseMs)
        writePulse(file)
      })
      clearTimeout(timer)
      awaited.delete(name)
      if (inOneGo > mostInOneGo) onLost()
      return arrived
    },
    [Symbol.dispose]() {
      pulse.close()
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

/** The event of a new file comes after all earlier ones. A pulse that cannot be written is not reported. */
function writePulse(file: string): void {
  try {
    writeFileSync(file, '')
    rmSync(file, { force: true })
  } catch {
    return
  }
}

/** Of inotify. 0 where it is not known, so that nothing is watched. */
function limitOf(name: string): number {
  try {
    return Number(readFileSync(`/proc/sys/fs/inotify/${name}`, 'utf8'))
  } catch {
    return 0
  }
}
