import { join } from 'node:path'
import { isWithin, joinPath, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { lookAsOwner } from '../../system/as-owner.ts'
import type { Layer } from '../layers/layer-store.ts'
import { type MountBase, readRegular } from '../mount-base.ts'
import { restingFiles } from '../written-files.ts'

/** What a view shows of the files of git, or what the folder does. */
export interface GitFiles {
  /** Undefined for anything but a readable file that is not too long. */
  bytes(path: VirtualPath): Uint8Array | undefined
  text(path: VirtualPath): string | undefined
  /** Of a folder. Names of files that are gone may be among them. */
  names(path: VirtualPath): readonly string[]
}

/** Of one file. */
const mostBytes = 1024 * 1024 * 1024

export function filesOfBase(base: MountBase): GitFiles {
  return withText({
    bytes(path) {
      const node = base.at(path)
      return node?.kind === 'file' && (node.size ?? 0) <= mostBytes ? attempt(() => node.read()) : undefined
    },
    names: (path) => [...base.names(path)],
  })
}

/** The newest layer that has something at a path, or says that nothing is there, decides. */
export function filesOfView(layers: readonly Layer[], base: GitFiles): GitFiles {
  const newest = layers.toReversed()
  const decides = (layer: Layer, path: VirtualPath): boolean =>
    layer.opaque.some((folder) => path !== folder && isWithin(path, folder)) ||
    hiddenBy(layer).some((gone) => isWithin(path, gone)) ||
    isGoneAbove(layer, path)
  return withText({
    bytes(path) {
      for (const layer of newest) {
        const { look, at } = restingFiles(layer.files)
        const stats = look(path)
        if (stats?.isFile()) return stats.size <= mostBytes ? attempt(() => at(path, readRegular)) : undefined
        if (stats && !stats.isDirectory()) return undefined
        if (decides(layer, path)) return undefined
      }
      return base.bytes(path)
    },
    names(path) {
      const names = new Set<string>()
      for (const layer of newest) {
        const { look, names: namesIn } = restingFiles(layer.files)
        if (look(path)?.isDirectory()) for (const name of namesIn(path)) names.add(name.toString())
        if (decides(layer, joinPath(path, 'x'))) return [...names]
      }
      return [...names, ...base.names(path)]
    },
  })
}

/** What a layer of copies hides. One of an earlier version holds each of its units whole. */
function hiddenBy({ kind, hides, units }: Layer): readonly VirtualPath[] {
  return hides ?? (kind === 'copy' ? units.map(({ path }) => path) : [])
}

/** An overlay marks what a command removed by something that is no folder. */
function isGoneAbove({ files }: Layer, path: VirtualPath): boolean {
  for (let folder = parentOf(path); folder !== '/'; folder = parentOf(folder)) {
    const stats = lookAsOwner(join(files, folder))
    if (stats) return !stats.isDirectory()
  }
  return false
}

function withText(files: Omit<GitFiles, 'text'>): GitFiles {
  return {
    ...files,
    text(path) {
      const bytes = files.bytes(path)
      return bytes && Buffer.from(bytes).toString()
    },
  }
}

function attempt(read: () => Uint8Array | undefined): Uint8Array | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
