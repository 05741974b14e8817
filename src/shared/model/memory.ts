import type { Chain } from '../base/chain.ts'
import type { ProjectId, Sequence, ThreadId, ToolCallId } from './ids.ts'
import { isWithin, type VirtualPath } from './virtual-path.ts'

/** One file of the memory, of the project or of all projects, with its whole history. */
export interface Memory {
  /** Below `/memories/` or `/memories/user/`, without that prefix: `notes/style.md`. */
  readonly name: string
  /** Null when it is deleted. */
  readonly text: string | null
  /** Latest last; never empty. */
  readonly versions: Chain<MemoryVersion>
  /** When an agent last read it, in milliseconds since the Unix epoch, and in which thread. Null when none ever did. */
  readonly used: { readonly at: number; readonly threadId: ThreadId } | null
}

/** One write or deletion. */
export interface MemoryVersion {
  /** The entry that holds the text. For a memory of all projects, the version's number in their store. */
  readonly sequence: Sequence
  readonly number: number
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly threadId: ThreadId
  /** Null for a person. */
  readonly agent: string | null
  readonly callId: ToolCallId | null
  /** UTF-16 units of the text; null when it was deleted. */
  readonly length: number | null
  /** The older version that this one brought back; null for a new text. */
  readonly restores: Sequence | null
  /** Where a version of a memory for all projects was written. Absent for a memory of the project itself. */
  readonly project?: { readonly id: ProjectId; readonly name: string }
}

/** The folder of the memories for all projects, below the place of the memories. */
export const userMemoryFolder = 'user/'

/** True for a path whose change would change what all projects read. `places` is where that is in this project. */
export function reachesAllProjects(path: VirtualPath, places: readonly VirtualPath[]): boolean {
  return places.some((place) => isWithin(path, place) || isWithin(place, path))
}

/** The memories for all projects, where the project has nothing of that name itself. */
export const memoriesForAll = '/memories/user' as VirtualPath

/** What the project's journal says about a memory for all projects. The memory itself is in the store of all projects. */
export interface UserMemoryWrites {
  /** The latest entry of this project that wrote or deleted it. */
  readonly latest: Sequence
  /** Entries that a person took back. */
  readonly undone: readonly Sequence[]
}

export function latestVersion({ versions }: Memory): MemoryVersion {
  return versions.value
}

/** The version right before `sequence`; null when there was none, or the file was deleted then. */
export function versionBefore({ versions }: Memory, sequence: Sequence): MemoryVersion | null {
  for (let link: Chain<MemoryVersion> | null = versions; link; link = link.before) {
    if (link.value.sequence < sequence) return link.value.length === null ? null : link.value
  }
  return null
}

/** When it was last written or read, in milliseconds since the Unix epoch. */
export function lastTouched(memory: Memory): number {
  return Math.max(latestVersion(memory).at, memory.used?.at ?? 0)
}
