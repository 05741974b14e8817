import { systemClock } from '#adapters/clock/system-clock.ts'
import { createDiskWatcher } from '#adapters/watch/disk-watcher.ts'
import type { WatchMode } from '#adapters/watch/watch-mode.ts'
import { createDriftWatch, type DriftWatch } from '#core/agent/drift/drift-watch.ts'
import type { HostServices } from '#core/agent/types/services.ts'
import { joinWatchers } from '#core/folders/join-watchers.ts'
import { eachFolder, type InFolder } from '#core/paths/project-folders.ts'
import type { Watcher } from '#core/ports/watcher.ts'
import { nodeHashing } from '#overlay/node'
import { isLive } from '#shared/model/event.ts'
import type { HostOptions } from '../app/host-options.ts'
import type { EventHub } from './event-hub.ts'

interface WatchedFolder extends InFolder {
  readonly rootFolder: string | null
  readonly watchMode: WatchMode
}

export interface WatchDriftOptions extends Pick<HostServices, 'log' | 'base' | 'routes'> {
  readonly events: EventHub
  /** `rootFolder` is null for a folder that is not on disk. */
  readonly folders: readonly [WatchedFolder, ...WatchedFolder[]]
  readonly report: HostOptions['log']
}

const nothingToWatch: Watcher = {
  watch: () => undefined,
  onChange: () => ({ [Symbol.dispose]: () => undefined }),
  [Symbol.dispose]: () => undefined,
}

/** Null for a project without a folder. */
function watcherOf(folders: WatchDriftOptions['folders'], onProblem: (error: unknown) => void): Watcher | null {
  if (folders[0].rootFolder === null) return null
  return joinWatchers(
    eachFolder(folders, ({ root, rootFolder, watchMode: mode }) => ({
      root,
      watcher: rootFolder === null ? nothingToWatch : createDiskWatcher({ rootFolder, mode, onProblem }),
    })),
  )
}

/** Watches the files that agents touched, and tells every window which of them changed on disk. */
export function watchDrift(options: WatchDriftOptions): DriftWatch {
  const { log, base, routes, events, folders, report } = options
  const onProblem = (error: unknown) => report('The files on disk could not be watched', error)
  const drift = createDriftWatch({
    log,
    base,
    routes,
    hashing: nodeHashing,
    watcher: watcherOf(folders, onProblem),
    announce: (threadId, event) =>
      events.publish({ ...event, threadId, at: systemClock.now(), sequence: log.state.sequence }),
    onProblem,
  })
  events.listen((event) => isLive(event) || drift.take(event))
  return drift
}
