import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isWithin, joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createScopeRules, isGitName } from '../scope-rules.ts'
import type { SearchRoot } from '../search-folder.ts'
import {
  createFolderTable,
  createPathSum,
  type FolderTable,
  type IndexedFolder,
  joinNames,
  namesOf,
} from './folder-table.ts'
import { digestOf, type FolderListing, listFolder, readStamp } from './read-folder.ts'
import { createTreeWatch } from './tree-watch.ts'

export interface WatchedTreeOptions {
  readonly root: SearchRoot
  readonly pulseFolder: string
  /** The app's own folder inside the project. */
  readonly hidden: VirtualPath | null
  /** The sum of the files that the engine lists outside these folders. Null when that fails. */
  readonly listWithEngine: (foreign: readonly VirtualPath[]) => Promise<string | null>
}

/** The folders that searches enter, as they are on disk. */
export interface WatchedTree {
  readonly table: FolderTable
  /** Folders that only the engine can enter. */
  readonly foreign: ReadonlySet<VirtualPath>
  /** Resolves when the table knows of every change made before the call. False when that cannot be known. */
  catchUp(): Promise<boolean>
  /** Takes in the events that were read so far. */
  takeEvents(): void
  /** Walks into one folder that is not known yet. False when there is none. */
  walkOn(): boolean
  /** Lists the folders that changed since they were listed. */
  listChanged(): void
  /** Compares the files of the table with those that the engine lists, unless they change meanwhile. */
  prove(): Promise<void>
  /** The visible files of a folder. Null when it can no longer be read here. */
  list(folder: IndexedFolder): FolderListing | null
  /** True when every folder is known, and the engine agreed. */
  isProved(): boolean
  /** Milliseconds since the last event, and since the first one after the last call of `takeRest`. */
  sinceEvents(): { readonly last: number; readonly first: number }
  takeRest(): void
  /** Why the tree cannot be watched. Null while it can. */
  refused(): string | null
  refuse(reason: string): void
}

const mostMismatches = 3

/** Watches each folder before it lists it, so that no change falls between the two. */
export function createWatchedTree({ root, pulseFolder, hidden, listWithEngine }: WatchedTreeOptions): WatchedTree {
  const table = createFolderTable()
  const foreign = new Set<VirtualPath>()
  const touched = new Map<string, Set<string>>()
  const above = foldersAbove(root)
  let toWalk: VirtualPath[] = []
  let rules = makeRules(root, hidden)
  let walk = 0
  let isLost = false
  let isProved = false
  let mismatches = 0
  let refused: string | null = null
  let [lastEvent, firstEvent] = [0, 0]
  const watch = createTreeWatch({
    pulseFolder,
    onEvent(location, name) {
      const names = touched.get(location) ?? new Set()
      touched.set(location, names)
      names.add(name)
      lastEvent = performance.now()
      firstEvent ||= lastEvent
    },
    onLost: () => {
      isLost = true
    },
  })

  /** Looks at everything again. What is as it was read stays read. */
  function restart(): void {
    walk += 1
    rules = makeRules(root, hidden)
    isProved = false
    foreign.clear()
    toWalk = [rootPath]
  }

  function refuse(reason: string): void {
    refused = reason
    watch[Symbol.dispose]()
  }

  function takeEvents(): void {
    if (isLost) {
      isLost = false
      for (const folder of table.all()) distrust(folder)
      restart()
    }
    for (const [location, names] of touched) {
      touched.delete(location)
      if (above.includes(location)) {
        if (names.has('.gitignore') || names.has('.git')) restart()
        continue
      }
      const folder = table.get(location.slice(root.folder.length) || '/')
      if (!folder) continue
      distrust(folder)
      for (const name of names) takeEvent(folder.path, name)
    }
  }

  function takeEvent(path: VirtualPath, name: string): void {
    if (name === '.gitignore' || isGitName(name)) {
      restart()
      return
    }
    const child = joinPath(path, name)
    const isFolder = isFolderAt(join(root.folder, child))
    if (!isFolder && !table.get(child) && !foreign.has(child)) return
    forget(child)
    if (isFolder && rules.isFolderIgnored(child)) return
    if (isFolder) toWalk.push(child)
    isProved = false
  }

  function forget(path: VirtualPath): void {
    for (const each of table.removeBelow(path)) watch.remove(join(root.folder, each))
    for (const each of foreign) if (isWithin(each, path)) foreign.delete(each)
  }

  function walkInto(path: VirtualPath): void {
    const isWatched = watch.add(join(root.folder, path))
    const listing = listFolder(root.folder, path, rules)
    if (!isWatched) refuse('The system has no more watches for folders.')
    else if (listing === null) forget(path)
    else if (listing === 'foreign') {
      forget(path)
      foreign.add(path)
    } else {
      const folder = table.get(path) ?? table.add(path)
      takeListing(folder, listing, root.folder)
      folder.walk = walk
      for (const name of listing.folders) toWalk.push(joinPath(path, name))
    }
  }

  function sumOfFiles(): string {
    const sum = createPathSum()
    tree.listChanged()
    for (const folder of table.all()) {
      const start = folder.path === '/' ? './' : `.${folder.path}/`
      for (const name of namesOf(folder)) sum.add(Buffer.from(start + name))
    }
    return sum.value()
  }

  /** Lists a folder without the folders below, which have events of their own. */
  function listAgain(folder: IndexedFolder): void {
    const listing = tree.list(folder)
    if (listing === null) return
    folder.names = joinNames(listing.files)
    folder.listed = true
  }

  const tree: WatchedTree = {
    table,
    foreign,
    takeEvents,
    async catchUp() {
      const isCaughtUp = await watch.catchUp()
      takeEvents()
      return isCaughtUp
    },
    walkOn() {
      const next = toWalk.pop()
      if (next === undefined) return false
      walkInto(next)
      if (toWalk.length > 0) return true
      for (const folder of [...table.all()]) if (folder.walk !== walk) forget(folder.path)
      if (rules.isCut()) refuse('An ignore file has too many rules.')
      return true
    },
    listChanged() {
      for (const folder of table.all()) if (!folder.listed) listAgain(folder)
    },
    async prove() {
      const before = sumOfFiles()
      if (toWalk.length > 0) return
      const listed = await listWithEngine([...foreign])
      await tree.catchUp()
      if (toWalk.length > 0 || sumOfFiles() !== before || toWalk.length > 0) return
      isProved = listed === before
      mismatches = isProved ? 0 : mismatches + 1
      if (mismatches >= mostMismatches) refuse('The engine lists other files.')
    },
    list(folder) {
      const listing = listFolder(root.folder, folder.path, rules)
      if (listing !== null && listing !== 'foreign') return listing
      restart()
      return null
    },
    isProved: () => isProved && toWalk.length === 0,
    sinceEvents() {
      const now = performance.now()
      return { last: now - lastEvent, first: now - (firstEvent || now) }
    },
    takeRest() {
      firstEvent = 0
    },
    refused: () => refused,
    refuse,
  }
  for (const location of above) watch.add(location)
  restart()
  return tree
}

/** Files that only ignore files outside of folders exclude are known too; whoever asks leaves them out. */
function makeRules(root: SearchRoot, hidden: VirtualPath | null) {
  const scope = {
    ...{ path: rootPath, overlay: [], includeIgnored: false },
    hidden: hidden === null ? [] : [hidden],
  }
  return createScopeRules(root, scope, [])
}

function distrust(folder: IndexedFolder): void {
  folder.version += 1
  folder.clean = false
  folder.listed = false
}

/** A folder that was read in an earlier run is known again if everything in it has the same stamp. */
function takeListing(folder: IndexedFolder, { files }: FolderListing, rootFolder: string): void {
  const names = joinNames(files)
  if (folder.names !== names) folder.clean = false
  else if (!folder.clean && folder.digest !== '') {
    const stamps = files.map((name) => readStamp(join(rootFolder, folder.path, name)))
    folder.clean = digestOf(files, stamps) === folder.digest
  }
  folder.names = names
  folder.listed = true
}

/** Folders above the project whose ignore files count in it. */
function foldersAbove({ folder, repository }: SearchRoot): readonly string[] {
  const found: string[] = []
  for (let at = folder; repository !== null && at !== repository; ) {
    at = dirname(at)
    found.push(at)
  }
  return found
}

function isFolderAt(location: string): boolean {
  try {
    return lstatSync(location, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false
  }
}
