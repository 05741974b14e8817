import { createHash } from 'node:crypto'
import { readlinkSync, type Stats } from 'node:fs'
import { ancestorsOf, isWithin, joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { Layer } from '../layers/layer-store.ts'
import { type MountBase, readRegular } from '../mount-base.ts'
import { restingFiles, type WrittenFiles } from '../written-files.ts'

/** What a view shows of the files of git, or what the folder does. No link on the way to a path is followed. */
export interface GitFiles {
  /** Undefined for nothing. */
  at(path: VirtualPath): GitNode | undefined
  /** Undefined for anything but a readable file that is not too long. */
  bytes(path: VirtualPath): Uint8Array | undefined
  text(path: VirtualPath): string | undefined
  /** Of a folder. Names of files that are gone may be among them. */
  names(path: VirtualPath): readonly string[]
}

export type GitNode =
  /** `stamp` is equal as long as the file is the same, and `read` gives undefined where it cannot be read. */
  | { readonly kind: 'file'; readonly stamp: () => string; readonly read: () => Uint8Array | undefined }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'other' }

/** Of one file. */
const mostBytes = 1024 * 1024 * 1024

export function filesOfBase(base: MountBase): GitFiles {
  return withBytes({
    at(path) {
      const node = base.at(path)
      if (node?.kind === 'symlink') return { kind: 'link', target: node.target }
      if (node?.kind !== 'file') return node && { kind: 'other' }
      const read = () => ((node.size ?? 0) <= mostBytes ? attempt(() => node.read()) : undefined)
      const stamp = () => (node.time === undefined ? hashOf(read()) : `${path} ${node.size} ${node.time}`)
      return { kind: 'file', stamp, read }
    },
    names: (path) => [...base.names(path)],
  })
}

export const nothingThere: GitFiles = {
  at: () => undefined,
  bytes: () => undefined,
  text: () => undefined,
  names: () => [],
}

/** A whole copy. Every copy of a file is another one, so its stamp is its content. */
export function filesOfCopy(copy: WrittenFiles): GitFiles {
  const files = filesOfView([], nothingThere, copy)
  return withBytes({
    ...files,
    at(path) {
      const node = files.at(path)
      return node?.kind === 'file' ? { ...node, stamp: () => hashOf(node.read()) } : node
    },
  })
}

/**
 * The newest layer that has something at a path, or says that nothing is there, decides. What programs have `written` lies
 * above the layers. Absent for nothing.
 */
export function filesOfView(layers: readonly Layer[], base: GitFiles, written?: WrittenFiles): GitFiles {
  const newest = [
    ...(written ? [{ ...written, hides: () => false, mayHave: () => true }] : []),
    ...layers.toReversed().map((layer) => ({
      ...restingFiles(layer.files),
      hides: hiddenBy(layer),
      mayHave: unitsOf(layer),
    })),
  ]
  return withBytes({
    at(path) {
      for (const { look, at, hides, mayHave } of newest) {
        if (!mayHave(path)) continue
        if (isGoneAbove(look, path)) return undefined
        const stats = look(path)
        if (stats) return isWhiteout(stats) ? undefined : nodeOf(path, stats, at)
        if (hides(path)) return undefined
      }
      return base.at(path)
    },
    names(path) {
      const names = new Set<string>()
      const any = joinPath(path, 'x')
      for (const { look, names: namesIn, hides } of newest) {
        if (isGoneAbove(look, any)) return [...names]
        if (look(path)?.isDirectory()) for (const name of namesIn(path)) names.add(name.toString())
        if (hides(any)) return [...names]
      }
      return [...names, ...base.names(path)]
    },
  })
}

function nodeOf(path: VirtualPath, stats: Stats, at: WrittenFiles['at']): GitNode | undefined {
  if (stats.isSymbolicLink()) {
    const target = at(path, (place) => readlinkSync(place))
    return target === undefined ? undefined : { kind: 'link', target }
  }
  if (!stats.isFile()) return { kind: 'other' }
  const { dev, ino, size, mtimeMs, ctimeMs } = stats
  const read = () => (size <= mostBytes ? attempt(() => at(path, readRegular)) : undefined)
  return { kind: 'file', stamp: () => `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`, read }
}

/** What a layer hides. One of copies from an earlier version holds each of its units whole. */
function hiddenBy({ kind, opaque, hides, units }: Layer): (path: VirtualPath) => boolean {
  const gone = hides ?? (kind === 'copy' ? units.map(({ path }) => path) : [])
  return (path) =>
    opaque.some((folder) => path !== folder && isWithin(path, folder)) || gone.some((one) => isWithin(path, one))
}

/** A layer says nothing about paths outside its units, so its files need not be looked at there. */
function unitsOf({ units }: Layer): (path: VirtualPath) => boolean {
  const paths = new Set(units.map(({ path }) => path))
  return (path) => paths.has(path) || ancestorsOf(path).some((folder) => paths.has(folder))
}

/** True where something that is no folder stands in place of one above: a link that leads elsewhere, or a mark of an overlay. */
function isGoneAbove(look: WrittenFiles['look'], path: VirtualPath): boolean {
  // From the top, because what is below a link lies elsewhere.
  for (const folder of ancestorsOf(path).toReversed()) {
    const stats = folder === '/' ? undefined : look(folder)
    if (stats && !stats.isDirectory()) return true
  }
  return false
}

function isWhiteout(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0
}

function withBytes(files: Pick<GitFiles, 'at' | 'names'>): GitFiles {
  const bytes = (path: VirtualPath) => {
    const node = files.at(path)
    return node?.kind === 'file' ? node.read() : undefined
  }
  return {
    ...files,
    bytes,
    text(path) {
      const found = bytes(path)
      return found && Buffer.from(found).toString()
    },
  }
}

function hashOf(bytes: Uint8Array | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex')
}

function attempt(read: () => Uint8Array | undefined): Uint8Array | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
