import { byCodeUnit } from '../model/code-unit-order.ts'
import { nameOf, parentOf, rootPath, type VirtualPath } from '../model/virtual-path.ts'
import { type BaseNode, type BaseTree, BaseTreeError, type ByteRange, maxReadBytes } from '../ports/base-tree.ts'
import type { Hashing } from '../ports/hashing.ts'

/** One node of a prepared folder. A plain string or bytes make a file that is not executable. */
export type BaseFixture =
  | string
  | Uint8Array
  | { readonly kind: 'file'; readonly content: string | Uint8Array; readonly executable: boolean }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'directory' }
  | { readonly kind: 'special' }

/** A base folder in memory. A test can change it from outside, as a person would change the disk. */
export interface MemoryBaseTree extends BaseTree {
  /** Puts one node at a path and makes the folders above it. */
  set(path: string, fixture: BaseFixture): void
  /** Removes a path and everything below it. */
  remove(path: string): void
}

type Stored = { readonly node: BaseNode; readonly bytes: Uint8Array }

const linkLimit = 40
const longestName = 255
const encoder = new TextEncoder()
const noBytes = new Uint8Array()

/** Makes files large that have more bytes than `most`. */
export interface MemoryLimit {
  readonly most: number
  readonly hashing: Hashing
}

/** Without a limit, no file is large. */
export function createMemoryBaseTree(
  fixtures: Readonly<Record<string, BaseFixture>> = {},
  limit: MemoryLimit | null = null,
): MemoryBaseTree {
  const stored = new Map<VirtualPath, Stored>([[rootPath, folder(0)]])
  let time = 0

  function set(path: string, fixture: BaseFixture): void {
    const target = path as VirtualPath
    time += 1
    for (let above = parentOf(target); stored.get(above)?.node.kind !== 'directory'; above = parentOf(above)) {
      stored.set(above, folder(time))
    }
    stored.set(target, toStored(fixture, time))
  }

  function remove(path: string): void {
    for (const known of [...stored.keys()]) {
      if (known === path || known.startsWith(`${path}/`)) stored.delete(known)
    }
  }

  /** The path with its links replaced by their targets. `leaf` says whether to follow a link at the last component. */
  function resolve(path: VirtualPath, leaf: boolean): VirtualPath {
    const waiting = components(path).reverse()
    let current: VirtualPath = rootPath
    let link = path
    for (let links = 0; waiting.length > 0; ) {
      const name = waiting.pop() ?? ''
      if (name === '..') {
        if (current === rootPath) throw leavesRoot(path, link)
        current = parentOf(current)
        continue
      }
      const next = (current === rootPath ? `/${name}` : `${current}/${name}`) as VirtualPath
      const node = stored.get(next)?.node
      if (node?.kind !== 'symlink' || (waiting.length === 0 && !leaf)) {
        current = next
        continue
      }
      links += 1
      if (links > linkLimit) throw new BaseTreeError('link_loop', path, `${path} goes through a loop of links.`)
      link = next
      if (node.target.startsWith('/')) throw leavesRoot(path, link)
      waiting.push(...components(node.target).reverse())
    }
    return current
  }

  for (const [path, fixture] of Object.entries(fixtures)) set(path, fixture)
  return {
    set,
    remove,
    async stat(path) {
      refuseLongNames(path)
      return stored.get(resolve(path, false))?.node
    },
    async list(path) {
      refuseLongNames(path)
      const real = resolve(path, true)
      if (stored.get(real)?.node.kind !== 'directory') return undefined
      const entries = [...stored]
        .filter(([known]) => known !== rootPath && parentOf(known) === real)
        .map(([known, { node }]) => ({ name: nameOf(known), node }))
      return { entries: entries.sort((a, b) => byCodeUnit(a.name, b.name)), unreadable: 0 }
    },
    async read(path, range) {
      refuseLongNames(path)
      const found = stored.get(resolve(path, true))
      if (!found) throw new BaseTreeError('not_found', path, `There is no file at ${path}.`)
      if (found.node.kind !== 'file') throw new BaseTreeError('not_a_file', path, `${path} is not a regular file.`)
      return content(path, found.bytes, range, limit?.most)
    },
    async readUnlinked(path, range) {
      refuseLongNames(path)
      const found = stored.get(path)
      if (found?.node.kind !== 'file') return undefined
      return { bytes: content(path, found.bytes, range, limit?.most), executable: found.node.executable }
    },
    async hashUnlinked(path) {
      refuseLongNames(path)
      const found = stored.get(path)
      if (found?.node.kind !== 'file' || !limit) return undefined
      const { bytes, node } = found
      const [blob, gitId] = [limit.hashing.hash(bytes), limit.hashing.gitObjectId(bytes)]
      return { blob, gitId, size: bytes.length, executable: node.executable }
    },
    async statUnlinked(path) {
      refuseLongNames(path)
      return stored.get(path)?.node
    },
    targetInside: () => undefined,
  }
}

function content(path: VirtualPath, bytes: Uint8Array, range: ByteRange | undefined, most = maxReadBytes): Uint8Array {
  if (range) return bytes.slice(range.offset, range.offset + range.length)
  if (bytes.length > most) throw new BaseTreeError('too_large', path, `${path} is too large to read.`)
  return bytes.slice()
}

function components(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

function folder(modified: number): Stored {
  return { node: { kind: 'directory', modified }, bytes: noBytes }
}

function toStored(fixture: BaseFixture, modified: number): Stored {
  if (typeof fixture === 'string' || fixture instanceof Uint8Array) return toFile(fixture, false, modified)
  switch (fixture.kind) {
    case 'file':
      return toFile(fixture.content, fixture.executable, modified)
    case 'symlink':
      return { node: { kind: 'symlink', target: fixture.target, modified }, bytes: noBytes }
    default:
      return { node: { kind: fixture.kind, modified }, bytes: noBytes }
  }
}

function toFile(content: string | Uint8Array, executable: boolean, modified: number): Stored {
  const bytes = typeof content === 'string' ? encoder.encode(content) : content.slice()
  return { node: { kind: 'file', size: bytes.length, modified, executable }, bytes }
}

function leavesRoot(path: VirtualPath, link: VirtualPath): BaseTreeError {
  return new BaseTreeError('link_leaves_root', path, `The link ${link} leaves the project folder and is not followed.`)
}

function refuseLongNames(path: VirtualPath): void {
  const long = components(path).find((name) => encoder.encode(name).length > longestName)
  if (long) {
    throw new BaseTreeError(
      'name_too_long',
      path,
      `A name in the path is over ${longestName} bytes: ${long.slice(0, 40)}…`,
    )
  }
}
