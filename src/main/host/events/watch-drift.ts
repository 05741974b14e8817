import { systemClock } from '#adapters/clock/system-clock.ts'
import { createDiskWatcher } from '#adapters/watch/disk-watcher.ts'
import type { WatchMode } from '#adapters/watch/watch-mode.ts'
import { createDriftWatch, type DriftWatch } from '#core/agent/drift/drift-watch.ts'
import type { HostServices } from '#core/agent/types/services.ts'
import { nodeHashing } from '#overlay/node'
import { isLive } from '#shared/model/event.ts'
import type { HostOptions } from '../app/host-options.ts'
import type { EventHub } from './event-hub.ts'

export interface WatchDriftOptions extends Pick<HostServices, 'log' | 'base' | 'routes'> {
  readonly events: EventHub
  /** Null for a project without a folder. */
  readonly rootFolder: string | null
  readonly watchMode: WatchMode
  readonly report: HostOptions['log']
}

/** Watches the files that agents touched, and tells every window which of them changed on disk. */
export function watchDrift(options: WatchDriftOptions): DriftWatch {
  const { log, base, routes, events, rootFolder, watchMode: mode, report } = options
  const onProblem = (error: unknown) => report('The files on disk could not be watched', error)
  const drift = createDriftWatch({
    log,
    base,
    routes,
    hashing: nodeHashing,
    watcher: rootFolder === null ? null : createDiskWatcher({ rootFolder, mode, onProblem }),
    announce: (threadId, event) =>
      events.publish({ ...event, threadId, at: systemClock.now(), sequence: log.state.sequence }),
    onProblem,
  })
  events.listen((event) => isLive(event) || drift.take(event))
  return drift
}
