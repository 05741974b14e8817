import { exactText } from '#overlay'
import type { ThreadId } from '#shared/model/ids.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import type { Search } from '../../ports/search.ts'
import type { NamedBytes, ScratchStore } from '../../ports/stores/scratch-store.ts'
import { type SharedText, type SharedTexts, SharedTextsError } from '../../ports/stores/shared-texts.ts'
import { looksSecret } from '../../secrets/secrets.ts'
import type { BackendChange, BackendTree } from './backend-tree.ts'
import { type Route, routeOf } from './routes.ts'
import { createStoreTree } from './store-tree.ts'

/** Bytes of one durable text. */
const maxTextBytes = 1024 * 1024

/** A store of named bytes as a backend. `commitOutside` is for a store that is not kept with the call's result. */
export function createStoreBackend(
  root: VirtualPath,
  store: NamedBytes,
  search: Search,
  options: {
    /** Throws `FileTreeError` for bytes that the store does not take. */
    readonly check?: (bytes: Uint8Array) => void
    /** Replaces the commit with the result. Gets the changes, null for a deleted file. */
    readonly commitOutside?: (changes: ReadonlyMap<VirtualPath, Uint8Array | null>) => void
  } = {},
): BackendTree {
  const { check = () => undefined, commitOutside } = options
  const tree = createStoreTree(root, store, check)
  return {
    ...tree,
    leadsTo: async (path) => path,
    isOutside: commitOutside !== undefined,
    search,
    scopeOf: (path) => ({
      path,
      hidden: [path],
      overlay: tree.files(path).map((file) => ({ path: file, bytes: tree.readBytes(file) })),
      includeIgnored: true,
    }),
    changes: async () =>
      [...tree.pending()].flatMap(([path, bytes]): BackendChange[] => {
        const existed = store.read(path) !== undefined
        if (bytes === null) return existed ? [{ path, kind: 'delete' }] : []
        return [{ path, kind: existed ? 'modify' : 'create' }]
      }),
    commit: commitOutside ? () => undefined : () => tree.commit(),
    async commitOutside() {
      if (commitOutside && tree.pending().size > 0) commitOutside(tree.pending())
    },
  }
}

/** Scratch files as the bytes of a route. */
export function scratchBytes(
  scratch: ScratchStore,
  owner: ThreadId,
  route: Route,
  routes: readonly Route[],
): NamedBytes {
  const { stored, shown } = namesOf(route, routes)
  return {
    list: () =>
      scratch.list(owner).flatMap(({ name, size, modified }) => {
        const path = shown(name)
        return path === undefined ? [] : [{ name: path, size, modified }]
      }),
    read: (path) => scratch.read(owner, stored(path)),
    write: (path, bytes) => scratch.write(owner, stored(path), bytes),
    delete: (path) => void scratch.delete(owner, stored(path)),
  }
}

/** How the files of a route are named in its store. */
export interface RouteNames {
  readonly stored: (path: VirtualPath) => string
  /** Undefined for a name that belongs to another route, or to one inside this. */
  readonly shown: (name: string) => VirtualPath | undefined
}

/** Files keep the name that was asked for, whatever prefix is in use. */
export function namesOf(route: Route, routes: readonly Route[]): RouteNames {
  // Built-in places are written by others too, under the prefix in use.
  const start = route.builtIn ? route.prefix : route.usual
  return {
    stored: (path) => `${start}${path.slice(route.prefix.length)}`,
    shown(name) {
      if (!name.startsWith(start)) return undefined
      const path = `${route.prefix}${name.slice(start.length)}` as VirtualPath
      return routeOf(routes, path) === route ? path : undefined
    },
  }
}

/** The texts of all projects as a backend. A call sees them as they were when it began to use them. */
export function createSharedBackend(
  texts: SharedTexts,
  route: Route,
  routes: readonly Route[],
  search: Search,
): BackendTree {
  const root = route.prefix.slice(0, -1) as VirtualPath
  const { stored, shown } = namesOf(route, routes)
  let known: ReadonlyMap<string, SharedText> | undefined
  const seen = (): ReadonlyMap<string, SharedText> => {
    known ??= new Map(guard(root, () => texts.list()).map((text) => [text.name, text]))
    return known
  }
  const bytes: NamedBytes = {
    list: () =>
      [...seen().values()].flatMap(({ name, size, modified }) => {
        const path = shown(name)
        return path === undefined ? [] : [{ name: path, size, modified }]
      }),
    read: (path) => (seen().has(stored(path)) ? guard(root, () => texts.read(stored(path))) : undefined),
    write: refuseDirect,
    delete: refuseDirect,
  }
  return createStoreBackend(root, bytes, search, {
    check: refuseAsDurable,
    commitOutside: (changes) =>
      guard(root, () =>
        texts.commit(
          [...changes].map(([path, content]) => ({
            name: stored(path),
            bytes: content,
            from: seen().get(stored(path))?.version ?? null,
          })),
        ),
      ),
  })
}

function refuseDirect(): never {
  throw new Error('Shared texts change only in one commit.')
}

function guard<Value>(root: VirtualPath, act: () => Value): Value {
  try {
    return act()
  } catch (error) {
    if (error instanceof SharedTextsError) throw new FileTreeError('refused', root, error.message)
    throw error
  }
}

/** Later threads read durable texts, so they hold text only and no apparent secrets. */
export function refuseAsDurable(bytes: Uint8Array): void {
  const problem = durableProblem(bytes)
  if (problem !== null) throw new FileTreeError('refused', rootPath, problem)
}

function durableProblem(bytes: Uint8Array): string | null {
  if (bytes.length > maxTextBytes) return `A durable text holds at most ${maxTextBytes / 1024} KB. Split it.`
  const text = exactText(bytes)
  if (text === undefined) return 'Only text files (UTF-8) are kept here.'
  return looksSecret(text)
    ? 'This text looks as if it held a secret (a key, token or password), which is not kept for later threads. Leave the value out and describe where it is kept.'
    : null
}
