import { lstatSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { OverlayText } from '#core/ports/search.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../pace.ts'

/** The overlay's files, written to a folder under their own names, so that one engine reads base and overlay alike. */
export interface OverlayMirror {
  readonly folder: string
  /** Makes the folder hold exactly these files, writing only those that are missing or changed. */
  show(files: readonly OverlayText[], signal: AbortSignal): Promise<void>
  /** Number of files in the folder. */
  size(): number
  remove(): void
}

interface MirroredFile {
  readonly hash: BlobHash | undefined
  readonly bytes: number
  readonly modified: number
}

export function createOverlayMirror(folder: string): OverlayMirror {
  const held = new Map<VirtualPath, MirroredFile>()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return {
    folder,
    async show(files, signal) {
      const pace = createPace(signal)
      const wanted = new Map(files.map((file) => [file.path, file]))
      for (const [path, known] of held) {
        if (!isHeld(join(folder, path), known, wanted.get(path)?.hash)) drop(folder, path, held)
        await pace()
      }
      for (const [path, file] of wanted) {
        if (!held.has(path)) held.set(path, writeOut(join(folder, path), file))
        await pace()
      }
    },
    size: () => held.size,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** True when the same content is still there. Cleaners of temporary folders may have removed it. */
function isHeld(location: string, known: MirroredFile, hash: BlobHash | undefined): boolean {
  if (hash === undefined || known.hash !== hash) return false
  const stats = lstatSync(location, { throwIfNoEntry: false })
  return stats?.isFile() === true && stats.size === known.bytes && stats.mtimeMs === known.modified
}

function writeOut(location: string, { bytes, hash }: OverlayText): MirroredFile {
  mkdirSync(dirname(location), { recursive: true })
  writeFileSync(location, bytes, { flag: 'wx' })
  return { hash, bytes: bytes.length, modified: lstatSync(location).mtimeMs }
}

/** Also removes folders that become empty, because a file may have to take their place. */
function drop(folder: string, path: VirtualPath, held: Map<VirtualPath, MirroredFile>): void {
  rmSync(join(folder, path), { force: true })
  held.delete(path)
  try {
    for (let above = dirname(join(folder, path)); above !== folder; above = dirname(above)) rmdirSync(above)
  } catch {
    return
  }
}
