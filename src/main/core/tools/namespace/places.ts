import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { latestVersion } from '#shared/model/memory.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type MemoryAccess, visibleMemories } from '../../memory/memory-files.ts'
import type { PlaceFile, PlaceRequest } from '../../ports/branch-mounts.ts'
import { JournalError } from '../../ports/journal.ts'
import type { ScratchFile, ScratchStore } from '../../ports/scratch-store.ts'
import type { FileAccess } from '../tool.ts'
import type { Prefixes } from './prefixes.ts'

/** Where the files of the places come from. */
export interface PlaceSources {
  /** Null when memory is switched off for the thread. */
  readonly memory: MemoryAccess | null
  /** Serves every prefix except that of the memories. */
  readonly scratch: ScratchStore
  /** The thread that scratch files belong to. Its subagents share them. */
  readonly rootThreadId: ThreadId
  /** The prefixes of this project. */
  readonly prefixes: Prefixes
  /** Withholds files that a rule protects. */
  readonly access: FileAccess
}

/**
 * The places beside the project's files, for programs that need real files. Files that the agent may not read are not
 * in them, and the memories can only be read. A place is there even when it holds nothing.
 */
export function listPlaces(options: PlaceSources): readonly PlaceRequest[] {
  const { prefixes, memory, scratch, rootThreadId, access } = options
  const scratchFiles = scratch.list(rootThreadId)
  return Object.entries(prefixes).map(([usual, prefix]) => {
    const isMemory = usual === '/memories/'
    const files = isMemory ? memoryFiles(memory, prefix) : filesBelow(options, scratchFiles, prefix)
    return {
      path: prefix.slice(0, -1) as VirtualPath,
      name: usual.slice(1, -1),
      writable: !isMemory,
      files: files.filter(({ path }) => access.mayRead(path)).sort((a, b) => byCodeUnit(a.path, b.path)),
    }
  })
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

function filesBelow(
  { scratch, rootThreadId }: PlaceSources,
  files: readonly ScratchFile[],
  prefix: string,
): PlaceFile[] {
  return files
    .filter(({ name }) => name.startsWith(prefix))
    .map(({ name, size, modified, revision }) => ({
      path: name as VirtualPath,
      content: `${size} ${modified} ${revision}`,
      size,
      read: () => readOrNull(() => scratch.read(rootThreadId, name)),
    }))
}

/** One damaged file must not keep programs from all others. */
function readOrNull(read: () => Uint8Array | undefined): Uint8Array | null {
  try {
    return read() ?? null
  } catch (error) {
    if (error instanceof JournalError) return null
    throw error
  }
}
