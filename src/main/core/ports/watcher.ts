import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** Announces that base paths may have changed on disk. Only paths asked for are watched. */
export interface Watcher extends Disposable {
  watch(paths: readonly VirtualPath[]): void
  unwatch(paths: readonly VirtualPath[]): void
  onChange(listener: (path: VirtualPath) => void): Disposable
}
