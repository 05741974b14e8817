import { childEntries, type Tree } from '#overlay'
import type { ThreadId } from '#shared/model/ids.ts'
import { userMemoryFolder } from '#shared/model/memory.ts'
import { ancestorsOf, joinPath, nameOf, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { BaseTree } from '../../ports/base-tree.ts'
import type { FolderBeside, RealFolder } from '../../ports/real-folder.ts'
import type { SharedTexts } from '../../ports/stores/shared-texts.ts'
import type { Prefixes } from './prefixes.ts'

/** What keeps the files behind a prefix. */
export type Backend =
  /** The project's memories. */
  | { readonly kind: 'memories' }
  /** Files of the root thread and its subagents, or of the whole project. */
  | { readonly kind: 'scratch'; readonly owner: 'thread' | 'project' }
  /** Texts that all projects share. */
  | { readonly kind: 'shared'; readonly texts: SharedTexts }
  | { readonly kind: 'folder'; readonly folder: RealFolder }
  /** The branch itself, inside of another route. */
  | { readonly kind: 'branch' }

/** A prefix and what keeps the files behind it. The longest prefix that fits a path decides. */
export interface Route {
  /** In use in this project, with a slash at both ends. */
  readonly prefix: string
  /** The usual name, or the one asked for. It differs from `prefix` when the project has a path of this name. */
  readonly usual: string
  readonly backend: Backend
  /** True for the places that every project has. */
  readonly builtIn: boolean
}

/** A route that a person asked for. */
export type WantedRoute = Pick<Route, 'usual' | 'backend'>

/** The owner of texts that belong to the whole project. It cannot be the id of a thread. */
const projectOwner = 'project' as ThreadId

export function ownerOf({ owner }: Extract<Backend, { kind: 'scratch' }>, rootThreadId: ThreadId): ThreadId {
  return owner === 'project' ? projectOwner : rootThreadId
}

/** The places that every project has, as routes. */
export function builtInRoutes(prefixes: Prefixes): readonly Route[] {
  return Object.entries(prefixes).map(([name, prefix]) => ({
    prefix,
    usual: name,
    backend: name === '/memories/' ? { kind: 'memories' } : { kind: 'scratch', owner: 'thread' },
    builtIn: true,
  }))
}

/** The project as it is on disk and in its branches. */
export interface KnownPaths {
  readonly base: BaseTree
  /** The branches that are loaded. */
  readonly trees: Iterable<Tree>
  /** Names at the top of the project that other branches have. */
  readonly names?: Iterable<string>
}

export interface ChosenRoutes {
  /** The built-in places first. */
  readonly routes: readonly Route[]
  /** A sentence for each route that cannot be used here. */
  readonly problems: readonly string[]
}

/**
 * Adds the routes that a person asked for to the built-in places. A name that the project or one of its branches uses
 * gets a number, so that no path of the project is hidden. A route inside another one follows it.
 */
export async function chooseRoutes(
  prefixes: Prefixes,
  wanted: readonly WantedRoute[],
  known: KnownPaths,
): Promise<ChosenRoutes> {
  const routes: Route[] = [...builtInRoutes(prefixes)]
  const problems: string[] = []
  for (const { usual, backend } of wanted.toSorted((a, b) => a.usual.length - b.usual.length)) {
    const outer = routes
      .filter((route) => !route.builtIn && usual.startsWith(route.usual))
      .reduce<Route | undefined>(
        (longest, one) => (one.usual.length > (longest?.usual.length ?? 0) ? one : longest),
        undefined,
      )
    if (outer) {
      routes.push({ prefix: `${outer.prefix}${usual.slice(outer.usual.length)}`, usual, backend, builtIn: false })
      continue
    }
    // The project is what an agent sees there anyway.
    if (backend.kind === 'branch') continue
    const path = usual.slice(0, -1) as VirtualPath
    const file = await fileAbove(known.base, path)
    if (file === undefined)
      routes.push({ prefix: await freePrefix(routes, path, known), usual, backend, builtIn: false })
    else problems.push(`The route ${usual} is not used: ${file} is a file of the project.`)
  }
  return { routes, problems }
}

/** A folder above the path that is no folder in the project. */
async function fileAbove(base: BaseTree, path: VirtualPath): Promise<VirtualPath | undefined> {
  for (const folder of ancestorsOf(path)) {
    const node = await base.stat(folder)
    if (node && node.kind !== 'directory') return folder
  }
  return undefined
}

async function freePrefix(routes: readonly Route[], path: VirtualPath, known: KnownPaths): Promise<string> {
  const folder = parentOf(path)
  const taken = new Set((await known.base.list(folder))?.entries.map(({ name }) => name.toLowerCase()))
  for (const tree of known.trees)
    for (const [name, { node }] of childEntries(tree, folder)) if (node !== null) taken.add(name.toLowerCase())
  if (folder === rootPath) for (const name of known.names ?? []) taken.add(name.toLowerCase())
  for (const { prefix } of routes) {
    const other = prefix.slice(0, -1) as VirtualPath
    if (parentOf(other) === folder) taken.add(nameOf(other).toLowerCase())
  }
  let candidate = nameOf(path)
  for (let suffix = 1; taken.has(candidate.toLowerCase()); suffix += 1) candidate = `${nameOf(path)}-${suffix}`
  return `${joinPath(folder, candidate)}/`
}

/** A sentence for each route that has another name in this project than the person gave it. */
export function routeNotes(routes: readonly Route[]): readonly string[] {
  return routes
    .filter(({ builtIn, prefix, usual }) => !builtIn && prefix !== usual)
    .map(({ prefix, usual }) => `The route ${usual} is ${prefix} here, because the project has a path of that name.`)
}

/** The route of a path that is not the project's: the place itself or something in it. Undefined for the project. */
export function routeOf(routes: readonly Route[], path: VirtualPath): Route | undefined {
  const inside = `${path}/`
  let found: Route | undefined
  for (const route of routes)
    if (inside.startsWith(route.prefix) && route.prefix.length > (found?.prefix.length ?? 0)) found = route
  return found?.backend.kind === 'branch' ? undefined : found
}

/** The routes strictly below a folder. */
export function routesBelow(routes: readonly Route[], folder: VirtualPath): readonly Route[] {
  const start = folder === rootPath ? '/' : `${folder}/`
  return routes.filter(({ prefix }) => prefix.startsWith(start) && prefix !== start)
}

/** One sentence for the agent about each route that a person added, in the order of their prefixes. */
export function describeRoutes(routes: readonly Route[]): readonly string[] {
  return routes
    .filter(({ builtIn }) => !builtIn)
    .toSorted((a, b) => (a.prefix < b.prefix ? -1 : 1))
    .map((route) => {
      const renamed =
        route.prefix === route.usual ? '' : ` The user calls it ${route.usual}, which the project has itself.`
      return `${route.prefix} is ${describeBackend(route)}.${renamed}`
    })
}

function describeBackend({ backend }: Route): string {
  switch (backend.kind) {
    case 'memories':
      return 'the memory of the project'
    case 'scratch':
      return backend.owner === 'thread'
        ? 'kept for this thread and its subagents alone'
        : 'kept for this project, for all its threads'
    case 'shared':
      return 'kept for all projects of the user'
    case 'folder':
      return describeFolder(backend.folder)
    case 'branch':
      return 'part of the project'
  }
}

function describeFolder({ path, apply, isForPrograms }: RealFolder): string {
  const writing = apply ? ': each change asks the user and is made there at once' : ', read-only'
  const programs = isForPrograms
    ? 'JavaScript and commands may read it, commands also by its real path; Python does not see it'
    : 'JavaScript may read it, commands and Python do not see it'
  return `the real folder ${JSON.stringify(path)} of the user${writing}; ${programs}`
}

/**
 * Why a person must be asked about changes of these paths, with the real files that they are. Undefined when none of
 * them is in a real folder that can be written.
 */
export function realFileReason(routes: readonly Route[], written: readonly VirtualPath[]): string | undefined {
  const real = written.flatMap((path) => {
    const route = routeOf(routes, path)
    if (route?.backend.kind !== 'folder' || !route.backend.folder.apply) return []
    return [visible(`${route.backend.folder.path}${path.slice(route.prefix.length - 1)}`)]
  })
  return real.length === 0 ? undefined : `writes to the real folder of the user: ${[...new Set(real)].join(', ')}`
}

/** Where in this project the files are that all projects of the person read. */
export function placesForAll(routes: readonly Route[]): readonly VirtualPath[] {
  return routes.flatMap(({ prefix, backend }) => {
    if (backend.kind === 'memories') return [`${prefix}${userMemoryFolder.slice(0, -1)}` as VirtualPath]
    return backend.kind === 'shared' ? [prefix.slice(0, -1) as VirtualPath] : []
  })
}

/** Quotes a name with characters that a person would not see. */
function visible(path: string): string {
  return /[\p{C}\p{Z}]/u.test(path.replaceAll(' ', '')) ? JSON.stringify(path) : path
}

/**
 * The places that programs find as folders, each with the name of its variable. Real folders are not among them, since
 * programs only read those, and no place inside another one.
 */
export function programPlaces(routes: readonly Route[]): readonly { readonly route: Route; readonly name: string }[] {
  const used = new Set<string>()
  return routes
    .filter((route) => {
      const { kind } = route.backend
      return kind !== 'folder' && kind !== 'branch' && !isInsideOther(route, routes)
    })
    .map((route) => ({ route, name: variableName(route, used) }))
}

/** The real folders behind routes, which programs may read, with the names of their variables. None inside another route. */
export function routeFolders(routes: readonly Route[]): readonly FolderBeside[] {
  const used = new Set(programPlaces(routes).map(({ name }) => name))
  return routes.flatMap((route) => {
    const { prefix, backend } = route
    if (backend.kind !== 'folder' || !backend.folder.isForPrograms || isInsideOther(route, routes)) return []
    return [{ path: prefix.slice(0, -1) as VirtualPath, name: variableName(route, used), folder: backend.folder }]
  })
}

function isInsideOther({ prefix }: Route, routes: readonly Route[]): boolean {
  return routes.some((other) => other.prefix !== prefix && prefix.startsWith(other.prefix))
}

/** Names of built-in places are their own. Others have a beginning that no variable of the app has. */
function variableName({ usual, builtIn }: Route, used: Set<string>): string {
  if (builtIn) return usual.slice(1, -1)
  const bare = `place_${usual
    .slice(1, -1)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')}`
  let name = bare
  for (let suffix = 2; used.has(name); suffix += 1) name = `${bare}_${suffix}`
  used.add(name)
  return name
}
