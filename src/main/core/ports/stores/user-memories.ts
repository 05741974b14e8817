import type { LayeredMap } from '#shared/base/layered-map.ts'
import type { ProjectId, Sequence, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { Memory } from '#shared/model/memory.ts'

/** Reads the memories for all projects. Never throws: a store that cannot be used says so in `problem`. */
export interface UserMemoryReader {
  /** By name, as they are now in every process. Deleted ones are included, for their versions. */
  current(): LayeredMap<string, Memory>
  /** The text of one version; null when there is none, or the memory was deleted with it. */
  textOf(name: string, version: Sequence): string | null
  /** The version that a write with this key became; null when the store does not have it. */
  findVersion(key: string): Sequence | null
  /** Why the store cannot be used now, with what to do; null when it can. */
  problem(): string | null
}

/** One write or deletion, with its origin. */
export interface UserMemoryWrite {
  /** Identifies the write in all projects for ever. A write whose key is known is not stored again. */
  readonly key: string
  readonly name: string
  /** Null deletes. */
  readonly text: string | null
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly project: { readonly id: ProjectId; readonly name: string }
  readonly threadId: ThreadId
  /** Null for a person. */
  readonly agent: string | null
  readonly callId: ToolCallId | null
  /** The older version that this one brings back; null for a new text. */
  readonly restores: Sequence | null
}

/** An agent read these memories. */
export interface UserMemoryUse {
  readonly names: readonly string[]
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly threadId: ThreadId
}

/**
 * The memories for all projects. Several processes may use one store at the same time, and every version is kept.
 * Writes throw `JournalError`.
 */
export interface UserMemoryStore extends UserMemoryReader {
  /**
   * Stores the writes together. `now`: each becomes the latest version. `late`: they were made earlier and did not
   * arrive, so each takes its place by its time.
   */
  record(writes: readonly UserMemoryWrite[], arrival: 'now' | 'late'): void
  recordUse(use: UserMemoryUse): void
}
