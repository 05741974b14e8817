import type { Chain } from '../base/chain.ts'
import type { Sequence, ThreadId, ToolCallId } from './ids.ts'

/** One file of the project's memory, with its whole history. */
export interface Memory {
  /** Below `/memories/`, without that prefix: `notes/style.md`. */
  readonly name: string
  /** Null when it is deleted. */
  readonly text: string | null
  /** Latest last; never empty. */
  readonly versions: Chain<MemoryVersion>
  /** When an agent last read it, in milliseconds since the Unix epoch, and in which thread. Null when none ever did. */
  readonly used: { readonly at: number; readonly threadId: ThreadId } | null
}

/** One write or deletion; its text is in the entry `sequence`. */
export interface MemoryVersion {
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
