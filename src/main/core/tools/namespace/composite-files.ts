import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { isWithin, joinPath, nameOf, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import {
  createMemoryTrace,
  type MemoryTrace,
  memoryBytes,
  refuseAsMemory,
  withheldMemory,
} from '../../memory/memory-files.ts'
import type { OverlayTransaction } from '../../overlay/overlay-transaction.ts'
import { branchScope } from '../../overlay/search-scope.ts'
import { rebase, walk } from '../../overlay/walk.ts'
import type { BaseListing } from '../../ports/base-tree.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import { FileTreeError, type WritableTree } from '../../ports/file-tree.ts'
import type { Hashing } from '../../ports/hashing.ts'
import type { NamedBytes } from '../../ports/scratch-store.ts'
import type { Search, SearchScope } from '../../ports/search.ts'
import type { FileAccess } from '../tool.ts'
import { listPlaces, type PlaceSources } from './places.ts'
import type { ToolFiles } from './prefixes.ts'
import { prefixOf } from './prefixes.ts'
import { createStoreTree, type StoreTree } from './store-tree.ts'

export interface CompositeFiles extends ToolFiles {
  /** Keeps the call's writes outside the overlay and returns its use of the memory. Call only for a successful call. */
  commitStores(): MemoryTrace
}

/** Memory that is switched off is refused to the file tools. */
export interface CompositeOptions extends PlaceSources {
  /** The call's changes of the branch. */
  readonly transaction: OverlayTransaction
  /** Runs `grep` and `glob` on the branch. */
  readonly search: Search
  /** Content of the branch, for searches. */
  readonly blobs: BlobStore
  /** Makes the hashes of the read ledger. */
  readonly hashing: Hashing
}

/** One set of paths over the branch, the memories and the scratch places. The longest prefix decides. */
export function createToolFiles(options: CompositeOptions): CompositeFiles {
  const { transaction, search, blobs, hashing, prefixes, access } = options
  const trace = createMemoryTrace(options.memory)
  const stores = new Map(Object.values(prefixes).map((prefix) => [prefix, openStore(options, prefix, trace)]))
  const storeOf = (path: VirtualPath): StoreTree | undefined => stores.get(prefixOf(prefixes, path) ?? '')
  const treeOf = (path: VirtualPath): WritableTree => storeOf(path) ?? transaction
  const refuseWithheldTarget = async (path: VirtualPath, may: FileAccess['mayRead']): Promise<void> => {
    if (!storeOf(path) && may(path)) refuseLinkTo(path, await transaction.leadsTo(path), may)
  }
  /** For a change of a link itself: the links of its folders are followed, but the link is not. */
  const refuseWithheldEntry = async (path: VirtualPath, may: FileAccess['mayRead']): Promise<void> => {
    if (path === rootPath || storeOf(path) || !may(path)) return
    refuseLinkTo(path, joinPath(await transaction.leadsTo(parentOf(path)), nameOf(path)), may)
  }

  /** Refuses a folder that contains a protected file, so that the folder is not a way around the rule. */
  async function refuseInside(path: VirtualPath, isProtected: (file: VirtualPath) => boolean): Promise<void> {
    if (!access.protectsFiles || storeOf(path) || (await transaction.stat(path))?.kind !== 'directory') return
    const found = (await walk(transaction, path)).entries.find((entry) => isProtected(entry.path))
    if (!found) return
    const { path: file } = found
    throw new FileTreeError('refused', file, `A rule protects ${file}. Leave it where it is, or ask the user.`)
  }

  function scopeOf(path: VirtualPath, includeIgnored: boolean): SearchScope {
    const store = storeOf(path)
    if (!store) return branchScope(transaction.tree, blobs, path, includeIgnored)
    const overlay = store.files(path).map((file) => ({ path: file, bytes: store.readBytes(file) }))
    return { path, hidden: [path], overlay, includeIgnored: true }
  }

  return {
    async leadsTo(path) {
      await refuseWithheldTarget(path, access.mayRead)
      return storeOf(path) ? path : transaction.leadsTo(path)
    },
    stat: (path) => treeOf(path).stat(path),
    async read(path, range) {
      await refuseWithheldTarget(path, access.mayRead)
      const bytes = await treeOf(path).read(path, range)
      if (prefixOf(prefixes, path) === prefixes['/memories/']) trace.recalled(path.slice(prefixes['/memories/'].length))
      return bytes
    },
    async write(path, bytes, chosen) {
      await refuseWithheldTarget(path, access.mayChange)
      return treeOf(path).write(path, bytes, chosen)
    },
    makeDirectory: (path) => treeOf(path).makeDirectory(path),
    makeSymlink: (path, target) => treeOf(path).makeSymlink(path, target),
    setExecutable: (path, executable) => treeOf(path).setExecutable(path, executable),
    async delete(path) {
      await refuseWithheldEntry(path, access.mayChange)
      await refuseInside(path, (file) => !access.mayChange(file))
      return treeOf(path).delete(path)
    },
    async list(path) {
      const listing = await treeOf(path).list(path)
      return path === rootPath && listing ? withPlaces(listing, placesOf(options)) : listing
    },
    async move(from, to) {
      const frees = (file: VirtualPath): boolean => !access.mayRead(file) && access.mayRead(rebase(file, from, to))
      await refuseInside(from, (file) => !access.mayChange(file) || frees(file))
      if (treeOf(from) === treeOf(to)) return treeOf(from).move(from, to)
      await copyAcross({ source: treeOf(from), goal: treeOf(to), from, to, mayRead: access.mayRead })
      await treeOf(from).delete(from)
    },
    grep: (query, path, signal) => search.grep(query, scopeOf(path, false), signal),
    async glob(pattern, path, includeIgnored, signal) {
      const beside = Object.values(prefixes).find((prefix) => pattern.startsWith(prefix))
      if (beside !== undefined) {
        // An absolute pattern reaches every place, even one that a search from the root leaves out.
        const place = beside.slice(0, -1) as VirtualPath
        const named = await search.files([pattern.slice(beside.length)], scopeOf(place, includeIgnored), signal)
        return named.filter((file) => isWithin(file, path))
      }
      const fromRoot = pattern.startsWith('/')
      const start = fromRoot ? (storeOf(path) ? path : rootPath) : path
      const found = await search.files([pattern.replace(/^\/+/, '')], scopeOf(start, includeIgnored), signal)
      return fromRoot ? found.filter((file) => isWithin(file, path)) : found
    },
    places: () => listPlaces(options),
    hash: (bytes) => hashing.hash(bytes),
    commitStores() {
      for (const store of stores.values()) store.commit()
      return trace
    },
  }
}

/** Refuses a path whose links lead to a protected file. The user's approval was about the name in the call. */
function refuseLinkTo(path: VirtualPath, target: VirtualPath, may: FileAccess['mayRead']): void {
  if (may(target)) return
  throw new FileTreeError(
    'refused',
    path,
    `${path} leads to ${target}, which is protected by a rule or may hold secrets. Use ${target} itself, so that the user is asked.`,
  )
}

function openStore(options: CompositeOptions, prefix: string, trace: MemoryTrace): StoreTree {
  const root = prefix.slice(0, -1) as VirtualPath
  if (prefix !== options.prefixes['/memories/']) return createStoreTree(root, scratchBytes(options), () => undefined)
  const bytes = options.memory ? memoryBytes(options.memory, prefix, trace) : withheldMemory(prefix)
  return createStoreTree(root, bytes, refuseAsMemory)
}

function scratchBytes({ scratch, rootThreadId }: CompositeOptions): NamedBytes {
  return {
    list: () => scratch.list(rootThreadId).map((file) => ({ ...file, name: file.name as VirtualPath })),
    read: (name) => scratch.read(rootThreadId, name),
    write: (name, bytes) => scratch.write(rootThreadId, name, bytes),
    delete: (name) => void scratch.delete(rootThreadId, name),
  }
}

/** The visible places. Memory that is switched off is not shown. */
function placesOf({ prefixes, memory }: CompositeOptions): readonly string[] {
  return Object.values(prefixes).filter((prefix) => memory !== null || prefix !== prefixes['/memories/'])
}

function withPlaces(listing: BaseListing, prefixes: readonly string[]): BaseListing {
  const places = prefixes.map((prefix) => ({
    name: prefix.slice(1, -1),
    node: { kind: 'directory', modified: 0 } as const,
  }))
  return { ...listing, entries: [...listing.entries, ...places].sort((a, b) => byCodeUnit(a.name, b.name)) }
}

interface Crossing {
  readonly source: WritableTree
  readonly goal: WritableTree
  readonly from: VirtualPath
  readonly to: VirtualPath
  readonly mayRead: FileAccess['mayRead']
}

/**
 * Moves between backends by copying; the caller then deletes. Protected files inside a folder are refused, because
 * nobody was asked about them.
 */
async function copyAcross({ source, goal, from, to, mayRead }: Crossing): Promise<void> {
  const node = await source.stat(from)
  if (!node) throw new FileTreeError('not_found', from, `There is nothing at ${from}.`)
  const existing = await goal.stat(to)
  if (existing && (existing.kind === 'directory' || node.kind === 'directory')) {
    throw new FileTreeError('already_exists', to, `There is already something at ${to}. Delete or move it first.`)
  }
  const entries = node.kind === 'directory' ? (await walk(source, from)).entries : [{ path: from, node }]
  for (const { path, node: found } of entries) {
    if (found.kind === 'directory') continue
    if (path !== from && !mayRead(path)) {
      const why = `${path} is protected by a rule or may hold secrets, so it cannot leave the project with its folder.`
      throw new FileTreeError('refused', path, `${why} Move it by itself, so that the user is asked.`)
    }
    if (found.kind !== 'file')
      throw new FileTreeError('refused', path, `${nameOf(path)} is not a regular file and cannot leave the project.`)
    await goal.write(rebase(path, from, to), await source.read(path))
  }
}
