import type { ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/**
 * Files that live with a root thread and never enter a patch: evicted results, conversation history, inputs. What is written or deleted
 * holds at once, and durably with the next `Journal.append`: a call that is cut off leaves nothing here that its result does not tell.
 */
export interface ScratchStore {
  /** Sorted. `name` is a virtual path such as `/large_tool_results/call_1.txt`. */
  list(rootThreadId: ThreadId): readonly { readonly name: string; readonly size: number; readonly modified: number }[]
  read(rootThreadId: ThreadId, name: string): Uint8Array | undefined
  write(rootThreadId: ThreadId, name: string, bytes: Uint8Array): void
  delete(rootThreadId: ThreadId, name: string): boolean
}

/** A store of named bytes; names are whole virtual paths. */
export interface NamedBytes {
  list(): readonly { readonly name: VirtualPath; readonly size: number; readonly modified: number }[]
  read(name: VirtualPath): Uint8Array | undefined
  write(name: VirtualPath, bytes: Uint8Array): void
  delete(name: VirtualPath): void
}
