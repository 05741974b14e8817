import { branchScope, type OverlayTransaction, rebase, walk } from '#overlay'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { isWithin, joinPath, nameOf, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { shownName } from '#shared/text/control-characters.ts'
import {
  createMemoryTrace,
  type MemoryTrace,
  memoryBytes,
  refuseAsMemory,
  withheldMemory,
} from '../../memory/memory-files.ts'
import type { BaseListing, ByteRange } from '../../ports/base-tree.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import { FileTreeError, type WritableTree } from '../../ports/file-tree.ts'
import type { Hashing } from '../../ports/hashing.ts'
import type { Search, SearchScope } from '../../ports/search.ts'
import type { NamedBytes } from '../../ports/stores/scratch-store.ts'
import type { FileAccess } from '../../secrets/file-access.ts'
import { isGitConfig, withoutCredentials } from '../../secrets/git-credentials.ts'
import { secretContentBytes } from '../../secrets/secret-files.ts'
import type { BackendChange, BackendTree } from './backend-tree.ts'
import { createFolderTree } from './folder-tree.ts'
import { listPlaces, type PlaceSources } from './places.ts'
import type { ToolFiles } from './prefixes.ts'
import { ownerOf, type Route, routeOf, routesBelow } from './routes.ts'
import { createSharedBackend, createStoreBackend, refuseAsDurable, scratchBytes } from './store-backends.ts'
import { writeText } from './write-text.ts'

export interface CompositeFiles extends ToolFiles {
  /** Keeps the call's writes outside the overlay and returns its use of the memory. Call only for a successful call. */
  commitStores(): MemoryTrace
  /**
   * Makes changes durable that are not stored with the result: real folders and the texts of all projects. Call before
   * `commitStores`, for a successful call. Throws `FileTreeError`, which says what was changed before it.
   */
  commitOutside(): Promise<void>
  /** The files that `commitOutside` has changed. */
  changedOutside(): readonly VirtualPath[]
  /**
   * Call when the result is stored; does nothing without `commitStores`. Deletes what the call moved to where only the result keeps it. Returns a sentence for
   * the agent when it could not be deleted.
   */
  finishOutside(): Promise<string | undefined>
  /** The files that the call changed beside the project: memories, scratch files, and those behind added routes. */
  changesBeside(): Promise<readonly BackendChange[]>
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
  /** True for a path of a real folder whose change a person approved. Absent when nobody approved anything. */
  readonly mayWriteOutside?: ((path: VirtualPath) => boolean) | undefined
}

/** One set of paths over the branch and everything beside it. The longest prefix decides. */
export function createToolFiles(options: CompositeOptions): CompositeFiles {
  const { transaction, search, blobs, hashing, routes, access } = options
  const trace = createMemoryTrace(options.memory)
  const visible = visibleRoutes(options)
  /** Those that the call used so far. Most calls use none. */
  const backends = new Map<Route, BackendTree | undefined>()
  const opened = (): readonly BackendTree[] => [...backends.values()].filter((backend) => backend !== undefined)
  /** False for a call whose result turned out to be a failure, so that nothing it copied is kept. */
  let isKept = false
  const outside = createOutsideCommits(opened)
  const backendOf = (path: VirtualPath): BackendTree | undefined => {
    const route = routeOf(routes, path)
    if (route && !backends.has(route)) backends.set(route, openBackend(options, route, trace))
    return route && backends.get(route)
  }
  const treeOf = (path: VirtualPath): BackendTree | OverlayTransaction => backendOf(path) ?? transaction
  const refuseWithheldTarget = async (path: VirtualPath, may: FileAccess['mayRead']): Promise<void> => {
    if (may(path)) refuseLinkTo(path, await treeOf(path).leadsTo(path), may)
  }
  /** Whether the bytes that a read leads to may be shown. Only a name that is usual for secrets needs a look at them. */
  const mayReadTarget = async (target: VirtualPath): Promise<boolean> => {
    if (access.mayRead(target)) return true
    const range = { offset: 0, length: secretContentBytes }
    return access.mayReadByRules(target) && access.mayShow(target, await treeOf(target).read(target, range))
  }
  const refuseSecretTarget = async (path: VirtualPath): Promise<void> => {
    if (!access.mayRead(path)) return
    const target = await treeOf(path).leadsTo(path)
    if (target !== path && !(await mayReadTarget(target))) refuseLinkTo(path, target, () => false)
  }
  /** For a change of a link itself: the links of its folders are followed, but the link is not. */
  const refuseWithheldEntry = async (path: VirtualPath, may: FileAccess['mayRead']): Promise<void> => {
    if (path === rootPath || !may(path) || isRouteRoot(routes, path)) return
    refuseLinkTo(path, joinPath(await treeOf(path).leadsTo(parentOf(path)), nameOf(path)), may)
  }

  /** Refuses a folder that contains a protected file, so that the folder is not a way around the rule. */
  async function refuseInside(path: VirtualPath, isProtected: (file: VirtualPath) => boolean): Promise<void> {
    if (!access.protectsFiles || isStore(routes, path)) return
    const tree = treeOf(path)
    if ((await tree.stat(path))?.kind !== 'directory') return
    const found = (await walk(tree, path)).entries.find((entry) => isProtected(entry.path))
    if (!found) return
    const { path: file } = found
    throw new FileTreeError(
      'refused',
      file,
      `A rule protects ${shownName(file)}. Leave it where it is, or ask the user.`,
    )
  }

  /** A folder above a place cannot go, because the place would stay without it. */
  function refuseAbovePlace(path: VirtualPath): void {
    const [inside] = path === rootPath ? [] : routesBelow(routes, path)
    if (!inside) return
    const message = `${path} contains the place ${inside.prefix}. Delete or move the files beside that place one by one.`
    throw new FileTreeError('refused', path, message)
  }

  /** A file must not take the place of a folder that leads to a place. */
  function refuseAsFile(path: VirtualPath): void {
    if (!isPlaceFolder(routes, path) || isRouteRoot(routes, path)) return
    throw new FileTreeError('is_a_directory', path, `${path} is a folder, because a place is in it.`)
  }

  /** What searches a path: its backend, without the places inside it. */
  function engineOf(path: VirtualPath, includeIgnored: boolean): readonly [Search, SearchScope] {
    const backend = backendOf(path)
    if (!backend) return [search, branchScope(transaction.tree, blobs, path, includeIgnored)]
    const scope = backend.scopeOf(path, includeIgnored)
    const inside = routesBelow(routes, path).map(({ prefix }) => prefix.slice(0, -1) as VirtualPath)
    return [backend.search, { ...scope, hidden: [...scope.hidden, ...inside] }]
  }

  /** What is read is the file at exactly this path, so a rule that allows the path allows it. */
  async function readPlain(path: VirtualPath, range?: ByteRange): Promise<Uint8Array | undefined> {
    return backendOf(path) || isGitConfig(path) ? undefined : transaction.readPlain(path, range)
  }

  return {
    readPlain,
    async leadsTo(path) {
      await refuseSecretTarget(path)
      return treeOf(path).leadsTo(path)
    },
    async stat(path) {
      const node = await treeOf(path).stat(path)
      return node ?? (isPlaceFolder(visible, path) ? placeNode : undefined)
    },
    async read(path, range) {
      const plain = await readPlain(path, range)
      if (plain) return plain
      await refuseSecretTarget(path)
      if (isGitConfig(await treeOf(path).leadsTo(path))) return readGitConfig(treeOf(path), path, range)
      const bytes = await treeOf(path).read(path, range)
      const route = routeOf(routes, path)
      if (route?.backend.kind === 'memories') trace.recalled(path.slice(route.prefix.length))
      return bytes
    },
    async write(path, bytes, chosen) {
      refuseAsFile(path)
      await refuseWithheldTarget(path, access.mayChange)
      return treeOf(path).write(path, bytes, chosen)
    },
    async writeText(path, text) {
      refuseAsFile(path)
      await refuseWithheldTarget(path, access.mayChange)
      return writeText(treeOf(path), path, text)
    },
    makeDirectory: (path) => treeOf(path).makeDirectory(path),
    async makeSymlink(path, target) {
      refuseAsFile(path)
      return treeOf(path).makeSymlink(path, target)
    },
    setExecutable: (path, executable) => treeOf(path).setExecutable(path, executable),
    async delete(path) {
      refuseAbovePlace(path)
      await refuseWithheldEntry(path, access.mayChange)
      await refuseInside(path, (file) => !access.mayChange(file))
      return treeOf(path).delete(path, { leavesIgnored: treeOf(path) === transaction })
    },
    async list(path) {
      const listing = await treeOf(path).list(path)
      const places = placeNames(visible, path)
      if (listing) return places.length === 0 ? listing : withPlaces(listing, places)
      return isPlaceFolder(visible, path) ? withPlaces({ entries: [], unreadable: 0 }, places) : undefined
    },
    async move(from, to) {
      refuseAbovePlace(from)
      refuseAsFile(to)
      const frees = (file: VirtualPath): boolean => !access.mayRead(file) && access.mayRead(rebase(file, from, to))
      await refuseInside(from, (file) => !access.mayChange(file) || frees(file))
      if (treeOf(from) === treeOf(to)) return treeOf(from).move(from, to)
      await copyAcross({ source: treeOf(from), goal: treeOf(to), from, to, mayShow: access.mayShow })
      await treeOf(from).delete(from)
    },
    grep(query, path, signal) {
      const [engine, scope] = engineOf(path, false)
      return engine.grep(query, scope, signal)
    },
    async glob(pattern, path, includeIgnored, signal, onCutRules) {
      const beside = routeOf(routes, pattern as VirtualPath)
      if (beside && pattern.startsWith(beside.prefix)) {
        // An absolute pattern reaches every place, even one that a search from the root leaves out.
        const [engine, scope] = engineOf(beside.prefix.slice(0, -1) as VirtualPath, includeIgnored)
        const named = await engine.files([pattern.slice(beside.prefix.length)], { ...scope, onCutRules }, signal)
        return named.filter((file) => isWithin(file, path))
      }
      const fromRoot = pattern.startsWith('/')
      const start = fromRoot && !backendOf(path) ? rootPath : path
      const [engine, scope] = engineOf(start, includeIgnored)
      const found = await engine.files([pattern.replace(/^\/+/, '')], { ...scope, onCutRules }, signal)
      return fromRoot ? found.filter((file) => isWithin(file, path)) : found
    },
    places: () => listPlaces(options),
    hash: (bytes) => hashing.hash(bytes),
    async commitOutside() {
      const inResult = opened().filter((backend) => !backend.isOutside)
      const changes = (await Promise.all(inResult.map((backend) => backend.changes()))).flat()
      await outside.commit(transaction.patch().length > 0 || changes.length > 0)
    },
    changedOutside: () => outside.done,
    finishOutside: async () => (isKept ? outside.finish() : undefined),
    async changesBeside() {
      return (await Promise.all(opened().map((backend) => backend.changes()))).flat()
    },
    commitStores() {
      isKept = true
      for (const backend of opened()) backend.commit()
      return trace
    },
  }
}

interface OutsideCommits {
  /** `keptWithResult` is true when the call changed something that is stored only with its result. */
  commit(keptWithResult: boolean): Promise<void>
  /** What was left for after the result. A sentence about what stays where it was; undefined when all went well. */
  finish(): Promise<string | undefined>
  readonly done: readonly VirtualPath[]
}

/**
 * Deletions come last: after the writes of other backends, and after the result if that holds the copies. So a crash
 * can leave a file in two places, but never in none.
 */
function createOutsideCommits(opened: () => readonly BackendTree[]): OutsideCommits {
  const done: VirtualPath[] = []
  const left: BackendTree[] = []
  return {
    done,
    async commit(keptWithResult) {
      const all = await Promise.all(opened().map(async (backend) => ({ backend, changes: await backend.changes() })))
      const waiting = all
        .filter(({ backend, changes }) => backend.isOutside && changes.length > 0)
        .map((one) => ({ ...one, onlyDeletes: one.changes.every(({ kind }) => kind === 'delete') }))
        .sort((a, b) => Number(a.onlyDeletes) - Number(b.onlyDeletes))
      for (const { backend, changes, onlyDeletes } of waiting) {
        if (onlyDeletes && keptWithResult) {
          left.push(backend)
          continue
        }
        try {
          await backend.commitOutside()
        } catch (error) {
          if (!(error instanceof FileTreeError) || done.length === 0) throw error
          throw new FileTreeError(error.code, error.path, `${error.message} Already changed: ${done.join(', ')}.`)
        }
        done.push(...changes.map(({ path }) => path))
      }
    },
    async finish() {
      for (const backend of left.splice(0)) {
        try {
          await backend.commitOutside()
        } catch (error) {
          if (!(error instanceof FileTreeError)) throw error
          return `The copy was made, but what was to be moved is still there too. ${error.message}`
        }
      }
      return undefined
    },
  }
}

/** The settings of a repository without credentials, so that nothing has to ask about them. */
async function readGitConfig(
  tree: BackendTree | OverlayTransaction,
  path: VirtualPath,
  range?: ByteRange,
): Promise<Uint8Array> {
  const text = new TextDecoder().decode(await tree.read(path))
  const shown = new TextEncoder().encode(withoutCredentials(text))
  return range ? shown.subarray(range.offset, range.offset + range.length) : shown
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

/** Undefined for the branch itself. */
function openBackend(options: CompositeOptions, route: Route, trace: MemoryTrace): BackendTree | undefined {
  const { search, scratch, rootThreadId, routes, blobs, hashing, mayWriteOutside = () => false } = options
  const { prefix, backend } = route
  const root = prefix.slice(0, -1) as VirtualPath
  switch (backend.kind) {
    case 'memories':
      return createStoreBackend(root, openStore(options, prefix, trace), search, { check: refuseAsMemory })
    case 'scratch': {
      const bytes = scratchBytes(scratch, ownerOf(backend, rootThreadId), route, routes)
      return createStoreBackend(root, bytes, search, backend.owner === 'project' ? { check: refuseAsDurable } : {})
    }
    case 'shared':
      return createSharedBackend(backend.texts, route, routes, search)
    case 'folder':
      return createFolderTree({ root, folder: backend.folder, blobs, hashing, mayWrite: mayWriteOutside })
    case 'branch':
      return undefined
  }
}

/** The bytes of the memories below `prefix`. */
function openStore({ memory }: CompositeOptions, prefix: string, trace: MemoryTrace): NamedBytes {
  return memory ? memoryBytes(memory, prefix, trace) : withheldMemory(prefix)
}

/** Memory that is switched off is not shown. */
function visibleRoutes({ routes, memory }: CompositeOptions): readonly Route[] {
  return routes.filter(({ backend }) => memory !== null || backend.kind !== 'memories')
}

function isRouteRoot(routes: readonly Route[], path: VirtualPath): boolean {
  return routeOf(routes, path)?.prefix === `${path}/`
}

/** True for what has no links and holds no files of the person's disk. */
function isStore(routes: readonly Route[], path: VirtualPath): boolean {
  const route = routeOf(routes, path)
  return route !== undefined && route.backend.kind !== 'folder'
}

const placeNode = { kind: 'directory', modified: 0 } as const

/** True for a place, and for a folder that is there because a place is below it. */
function isPlaceFolder(routes: readonly Route[], path: VirtualPath): boolean {
  return routes.some(({ prefix }) => prefix.startsWith(`${path}/`))
}

/** The names in a folder that lead to places. */
function placeNames(routes: readonly Route[], folder: VirtualPath): readonly string[] {
  const start = folder === rootPath ? 1 : folder.length + 1
  return [...new Set(routesBelow(routes, folder).map(({ prefix }) => prefix.slice(start).split('/')[0] ?? ''))]
}

function withPlaces(listing: BaseListing, names: readonly string[]): BaseListing {
  const known = new Set(listing.entries.map(({ name }) => name))
  const places = names.filter((name) => !known.has(name)).map((name) => ({ name, node: placeNode }))
  return { ...listing, entries: [...listing.entries, ...places].sort((a, b) => byCodeUnit(a.name, b.name)) }
}

interface Crossing {
  readonly source: WritableTree
  readonly goal: WritableTree
  readonly from: VirtualPath
  readonly to: VirtualPath
  readonly mayShow: FileAccess['mayShow']
}

/**
 * Moves between backends by copying; the caller then deletes. Protected files inside a folder are refused, because
 * nobody was asked about them.
 */
async function copyAcross({ source, goal, from, to, mayShow }: Crossing): Promise<void> {
  const node = await source.stat(from)
  if (!node) throw new FileTreeError('not_found', from, `There is nothing at ${from}.`)
  const existing = await goal.stat(to)
  if (existing && (existing.kind === 'directory' || node.kind === 'directory')) {
    throw new FileTreeError('already_exists', to, `There is already something at ${to}. Delete or move it first.`)
  }
  const entries = node.kind === 'directory' ? (await walk(source, from)).entries : [{ path: from, node }]
  for (const { path, node: found } of entries) {
    if (found.kind === 'directory') continue
    if (found.kind !== 'file')
      throw new FileTreeError('refused', path, `${nameOf(path)} is not a regular file and cannot leave the project.`)
    const bytes = await source.read(path)
    if (path !== from && !mayShow(path, bytes)) {
      const why = `${path} is protected by a rule or may hold secrets, so it cannot leave the project with its folder.`
      throw new FileTreeError('refused', path, `${why} Move it by itself, so that the user is asked.`)
    }
    await goal.write(rebase(path, from, to), bytes)
  }
}
