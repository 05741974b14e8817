import type { ThreadId } from '#shared/model/ids.ts'

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
