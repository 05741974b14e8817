import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { ancestorsOf, isWithin, nameOf, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { type BaseNode, BaseTreeError } from '../../ports/base-tree.ts'
import { FileTreeError, type WritableTree } from '../../ports/file-tree.ts'
import type { NamedBytes } from '../../ports/stores/scratch-store.ts'

export interface StoreTree extends WritableTree {
  /** The files below a folder, including those that this call wrote. */
  files(folder: VirtualPath): readonly VirtualPath[]
  /** Throws `not_found` and `not_a_file`. */
  readBytes(path: VirtualPath): Uint8Array
  /** Keeps the bytes until `commit`. Throws `is_a_directory`, and what the store refuses. */
  writeBytes(path: VirtualPath, bytes: Uint8Array): 'created' | 'replaced'
  /** What waits for `commit`. Null deletes the file. */
  pending(): ReadonlyMap<VirtualPath, Uint8Array | null>
  /** Passes the writes to the store. Until then nothing is kept. */
  commit(): void
}

/**
 * A store of named bytes as a tree of files below `root`. A folder exists as long as it contains something. Writes wait
 * for `commit`, so that a failed call leaves nothing.
 */
export function createStoreTree(root: VirtualPath, store: NamedBytes, check: (bytes: Uint8Array) => void): StoreTree {
  const written = new Map<VirtualPath, Uint8Array | null>()

  const known = (): ReadonlyMap<VirtualPath, BaseNode> => {
    const files = new Map<VirtualPath, BaseNode>()
    for (const { name, size, modified } of store.list()) {
      if (isWithin(name, root)) files.set(name, { kind: 'file', size, modified, executable: false })
    }
    for (const [name, bytes] of written) {
      if (bytes) files.set(name, { kind: 'file', size: bytes.length, modified: 0, executable: false })
      else files.delete(name)
    }
    return files
  }
  const below = (folder: VirtualPath) => [...known().keys()].filter((path) => path !== folder && isWithin(path, folder))
  const nodeAt = (path: VirtualPath): BaseNode | undefined =>
    known().get(path) ?? (path === root || below(path).length > 0 ? { kind: 'directory', modified: 0 } : undefined)

  function readBytes(path: VirtualPath): Uint8Array {
    const bytes = written.has(path) ? written.get(path) : store.read(path)
    if (bytes) return bytes
    const folder = nodeAt(path)?.kind === 'directory'
    throw folder
      ? new BaseTreeError('not_a_file', path, `${path} is a folder, not a file.`)
      : new BaseTreeError('not_found', path, `There is no file at ${path}.`)
  }

  function removable(path: VirtualPath): readonly VirtualPath[] {
    if (path === root)
      throw new FileTreeError('root', path, `${path} is a place of the app. Delete the files in it one by one.`)
    const node = nodeAt(path)
    if (!node) throw new FileTreeError('not_found', path, `There is nothing at ${path}.`)
    return node.kind === 'file' ? [path] : below(path)
  }

  function write(path: VirtualPath, bytes: Uint8Array): 'created' | 'replaced' {
    check(bytes)
    store.checkName?.(path)
    const earlier = nodeAt(path)
    if (earlier?.kind === 'directory')
      throw new FileTreeError('is_a_directory', path, `${path} is a folder, not a file.`)
    for (let above = parentOf(path); above !== root; above = parentOf(above)) {
      if (known().has(above))
        throw new FileTreeError('not_a_directory', path, `${above} is a file, so nothing can be below it.`)
    }
    written.set(path, bytes.slice())
    return earlier ? 'replaced' : 'created'
  }

  return {
    files: (folder) => [...known().keys()].filter((path) => isWithin(path, folder)).sort(byCodeUnit),
    readBytes,
    writeBytes: write,
    pending: () => written,
    commit() {
      for (const [name, bytes] of written) bytes ? store.write(name, bytes) : store.delete(name)
      written.clear()
    },
    stat: async (path) => nodeAt(path),
    async list(path) {
      if (nodeAt(path)?.kind !== 'directory') return undefined
      const names = new Set(below(path).map((file) => file.slice(path.length + 1).split('/')[0] ?? ''))
      const entries = [...names].sort(byCodeUnit).flatMap((name) => {
        const node = nodeAt(`${path}/${name}` as VirtualPath)
        return node ? [{ name, node }] : []
      })
      return { entries, unreadable: 0 }
    },
    async read(path, range) {
      const bytes = readBytes(path)
      return range ? bytes.slice(range.offset, range.offset + range.length) : bytes.slice()
    },
    write: async (path, bytes) => write(path, bytes),
    async delete(path) {
      const files = removable(path)
      const folders = new Set(files.flatMap(ancestorsOf).filter((folder) => isWithin(folder, path)))
      for (const file of files) written.set(file, null)
      return { files: files.length, folders: folders.size }
    },
    async move(from, to) {
      const files = removable(from)
      if (from !== to && isWithin(to, from))
        throw new FileTreeError('into_itself', to, `${from} cannot be moved into itself.`)
      if (nodeAt(to)?.kind === 'directory')
        throw new FileTreeError('already_exists', to, `There is already a folder at ${to}.`)
      const contents = files.map((file) => [file, readBytes(file)] as const)
      for (const [file] of contents) written.set(file, null)
      for (const [file, bytes] of contents) write(`${to}${file.slice(from.length)}` as VirtualPath, bytes)
    },
    makeDirectory: async () => undefined,
    makeSymlink: async (path) => refuse(path, 'links'),
    setExecutable: async (path) => refuse(path, 'executable files'),
  }
}

function refuse(path: VirtualPath, what: string): never {
  throw new FileTreeError('refused', path, `There are no ${what} below ${parentOf(path)} (${nameOf(path)}).`)
}
