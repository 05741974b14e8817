import type { VirtualPath } from '#shared/model/virtual-path.ts'

/**
 * Announces that paths may have changed on disk, from the moment `watch` returns. A watcher that has to poll begins
 * with its first look. It watches only the paths it was given. An announcement is a hint: compare the file before you
 * rely on it. It may come late, twice, or not at all when the system has no room for more watches.
 */
export interface Watcher extends Disposable {
  /** Adds to the watched paths. Watching one twice is harmless. */
  watch(paths: readonly VirtualPath[]): void
  /** Called for every change until the returned handle is disposed. */
  onChange(listener: (path: VirtualPath) => void): Disposable
}
