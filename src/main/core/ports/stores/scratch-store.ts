import type { ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/**
 * Files that belong to a root thread and never enter a patch: large results, conversation history, inputs. A change is
 * visible at once and becomes durable with the next `Journal.append`, so a call that is cut off leaves nothing behind.
 */
export interface ScratchStore {
  /** Sorted. */
  list(rootThreadId: ThreadId): readonly ScratchFile[]
  /** Undefined when there is no such file. */
  read(rootThreadId: ThreadId, name: string): Uint8Array | undefined
  /** Creates or replaces the file. */
  write(rootThreadId: ThreadId, name: string, bytes: Uint8Array): void
  /** False when there was no such file. */
  delete(rootThreadId: ThreadId, name: string): boolean
}

export interface ScratchFile {
  /** A virtual path such as `/large_tool_results/call_1.txt`. */
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** Milliseconds since the Unix epoch. */
  readonly modified: number
  /** Changes with every write by this process. A file that it has not written has 0. */
  readonly revision: number
}

/** A store of named bytes. Names are whole virtual paths. */
export interface NamedBytes {
  /** In no particular order. Sizes in bytes, times in milliseconds since the Unix epoch. */
  list(): readonly { readonly name: VirtualPath; readonly size: number; readonly modified: number }[]
  /** Undefined when there is no such name. */
  read(name: VirtualPath): Uint8Array | undefined
  /** Throws `FileTreeError` for a name that cannot be written. Absent when every name can. */
  checkName?(name: VirtualPath): void
  /** Creates or replaces. Throws `FileTreeError` when the store refuses writes. */
  write(name: VirtualPath, bytes: Uint8Array): void
  /** Does nothing when there is no such name. */
  delete(name: VirtualPath): void
}
