import { createHash } from 'node:crypto'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { MountChange, MountEntry } from '#core/ports/branch-mounts.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'

/** The time that a mount showed for a file of the branch, so that the next mount shows it too. */
export interface ShownTime {
  readonly path: VirtualPath
  /** SHA-256 of the content. */
  readonly content: string
  /** Modification time in milliseconds since the Unix epoch. */
  readonly time: number
}

type LayerOfTimes = { readonly times?: readonly ShownTime[] }

/** Of a branch with more changed files no times are kept. */
const mostTimes = 2_000

interface EndOfMount {
  /** Milliseconds since the Unix epoch. */
  readonly openedAt: number
  readonly overlay: readonly MountEntry[]
  readonly changes: readonly MountChange[]
  /** `byCommand`: the command wrote the file. Undefined when nothing is there. */
  readonly lookAt: (path: VirtualPath) => { readonly mtimeMs: number; readonly byCommand: boolean } | undefined
}

/**
 * The times at the end of a mount, for the record of the layer that it leaves. A program may set any time, so one that is
 * older than the mount is not kept: build output may be older than the change and newer than that time.
 */
export function timesAtEnd({ openedAt, overlay, changes, lookAt }: EndOfMount): readonly ShownTime[] {
  if (overlay.length + changes.length > mostTimes) return []
  const changed = new Set(changes.map(({ path }) => path))
  const files = [
    ...overlay.flatMap((one) => (one.kind === 'file' && !changed.has(one.path) ? [one] : [])),
    ...changes.flatMap((one) => (one.kind === 'file' ? [{ path: one.path, content: hashOf(one.bytes) }] : [])),
  ]
  const now = Date.now()
  return files.flatMap(({ path, content }) => {
    const found = lookAt(path)
    if (!found || found.mtimeMs > now || (found.byCommand && found.mtimeMs < openedAt)) return []
    return [{ path, content, time: found.mtimeMs }]
  })
}

/**
 * Gives files of the branch the times that the newest of the layers knows. All build output in the layers was made when its files
 * had these times, so a file with the same content is as old as it was then. Any other file keeps the time at which
 * it was written for a mount, which is later than all of the output.
 */
export function showTimes(folder: string, overlay: readonly MountEntry[], layers: readonly LayerOfTimes[]): void {
  const contents = new Map(overlay.flatMap((one) => (one.kind === 'file' ? [[one.path, one.content]] : [])))
  for (const { path, content, time } of layers.at(-1)?.times ?? []) {
    if (contents.get(path) !== content) continue
    const location = join(folder, path)
    const stats = lookAsOwner(location)
    if (stats?.isFile() && Math.abs(stats.mtimeMs - time) >= 1)
      asOwner(location, () => utimesSync(location, time / 1000, time / 1000))
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
