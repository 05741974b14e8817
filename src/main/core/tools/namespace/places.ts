import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { latestVersion } from '#shared/model/memory.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type MemoryAccess, visibleMemories } from '../../memory/memory-files.ts'
import type { PlaceFile, PlaceRequest } from '../../ports/branch-mounts.ts'
import { JournalError } from '../../ports/journal.ts'
import type { ScratchStore } from '../../ports/stores/scratch-store.ts'
import { type SharedTexts, SharedTextsError } from '../../ports/stores/shared-texts.ts'
import type { FileAccess } from '../../secrets/file-access.ts'
import { ownerOf, programPlaces, type Route } from './routes.ts'
import { namesOf, type RouteNames } from './store-backends.ts'

/** Where the files of the places come from. */
export interface PlaceSources {
  /** Null when memory is switched off for the thread. */
  readonly memory: MemoryAccess | null
  /** Keeps the files of the thread and of the project. */
  readonly scratch: ScratchStore
  /** The thread that scratch files belong to. Its subagents share them. */
  readonly rootThreadId: ThreadId
  /** All routes of this project. */
  readonly routes: readonly Route[]
  /** Withholds files that a rule protects. */
  readonly access: FileAccess
}

/**
 * The places beside the project's files, for programs that need real files. Files that the agent may not read are not
 * in them, and the memories can only be read. A place is there even when it holds nothing.
 */
export function listPlaces(options: PlaceSources): readonly PlaceRequest[] {
  const { routes, access } = options
  return programPlaces(routes).map(({ route, name }) => ({
    path: route.prefix.slice(0, -1) as VirtualPath,
    name,
    writable: route.backend.kind !== 'memories',
    files: filesOf(options, route)
      .filter((file) => mayProgramsRead(file, access))
      .sort((a, b) => byCodeUnit(a.path, b.path)),
  }))
}

/** What agents keep beside the project holds a secret only where its name is usual for one and its content agrees. */
function mayProgramsRead({ path, read }: PlaceFile, access: FileAccess): boolean {
  if (access.mayRead(path)) return true
  const bytes = access.mayReadByRules(path) ? read() : null
  return bytes !== null && access.mayShow(path, bytes)
}

function filesOf(options: PlaceSources, route: Route): PlaceFile[] {
  const { routes, memory, scratch, rootThreadId } = options
  const { backend, prefix } = route
  switch (backend.kind) {
    case 'memories':
      return memoryFiles(memory, prefix)
    case 'scratch':
      return scratchFiles(scratch, ownerOf(backend, rootThreadId), namesOf(route, routes))
    case 'shared':
      return sharedFiles(backend.texts, namesOf(route, routes))
    case 'folder':
    case 'branch':
      return []
  }
}

/** Empty when memory is switched off for the thread. */
function memoryFiles(memory: MemoryAccess | null, prefix: string): PlaceFile[] {
  if (memory === null) return []
  const encoder = new TextEncoder()
  return [...visibleMemories(memory)].flatMap(([name, one]) => {
    const { text } = one
    if (text === null) return []
    const read = () => encoder.encode(text)
    const content = String(latestVersion(one).sequence)
    return [{ path: `${prefix}${name}` as VirtualPath, content, size: text.length, read }]
  })
}

function scratchFiles(scratch: ScratchStore, owner: ThreadId, { shown }: RouteNames): PlaceFile[] {
  return scratch.list(owner).flatMap(({ name, size, modified, revision }) => {
    const path = shown(name)
    const read = () => readOrNull(() => scratch.read(owner, name))
    return path === undefined ? [] : [{ path, content: `${size} ${modified} ${revision}`, size, read }]
  })
}

/** Empty when the store cannot be read. The file tools say why. */
function sharedFiles(texts: SharedTexts, { shown }: RouteNames): PlaceFile[] {
  try {
    return texts.list().flatMap(({ name, size, version }) => {
      const path = shown(name)
      const read = () => readOrNull(() => texts.read(name))
      return path === undefined ? [] : [{ path, content: String(version), size, read }]
    })
  } catch (error) {
    if (error instanceof SharedTextsError) return []
    throw error
  }
}

/** One damaged file must not keep programs from all others. */
function readOrNull(read: () => Uint8Array | undefined): Uint8Array | null {
  try {
    return read() ?? null
  } catch (error) {
    if (error instanceof JournalError || error instanceof SharedTextsError) return null
    throw error
  }
}
