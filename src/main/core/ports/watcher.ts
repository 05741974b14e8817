import type { VirtualPath } from '#shared/model/virtual-path.ts'

/**
 * Announces that base paths may have changed on disk, from the moment `watch` returns. Only paths asked for are
 * watched. It is a hint: whoever relies on a file compares it before use.
 */
export interface Watcher extends Disposable {
  watch(paths: readonly VirtualPath[]): void
  onChange(listener: (path: VirtualPath) => void): Disposable
}
