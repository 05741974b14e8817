import type { JsonObject } from '../base/json.ts'
import type { MergeBase, MergeResult } from './branch.ts'
import type { Drift } from './drift.ts'
import type { BlobHash, BranchId, Handle, InterruptId, Sequence, ThreadId, ToolCallId } from './ids.ts'
import type { Decision, Interrupt } from './interrupt.ts'
import type { Message, ToolResult } from './message.ts'
import type { Patch } from './patch.ts'
import type {
  ApprovalMode,
  Compaction,
  ContextScope,
  ParentLink,
  QueuedMessage,
  RunReason,
  RunStatus,
} from './thread.ts'
import type { Todo } from './todo.ts'
import type { NodeStep } from './tree-node.ts'
import type { Usage } from './usage.ts'
import type { VirtualPath } from './virtual-path.ts'

/**
 * What can be written to the journal. Append-only: an entry says what happened and is never changed. Every state the
 * app shows or resumes from is a fold of these (`fold.ts` for threads and branches, `core/overlay` for trees).
 */
export type EntryBody =
  | {
      readonly type: 'thread.created'
      readonly agent: string
      readonly agentType: string
      readonly title: string
      readonly branchId: BranchId
      readonly parent: ParentLink | null
      readonly depth: number
      readonly model: string
      readonly approvalMode: ApprovalMode
      readonly contextScope: ContextScope
    }
  /** What the agent is told and offered, as a `PreparedPrompt`. The first is its prompt for life; of a later one it was told in a message. */
  | { readonly type: 'thread.prepared'; readonly prompt: BlobHash }
  /** The thread begins with the conversation of another one, as it was at a checkpoint of it. */
  | { readonly type: 'thread.copied'; readonly from: ThreadId; readonly to: Sequence }
  | { readonly type: 'thread.titled'; readonly title: string }
  | {
      readonly type: 'thread.configured'
      readonly model: string
      readonly approvalMode: ApprovalMode
      /** Whether the agents of the thread know the project's memory; absent: as before. */
      readonly memory?: boolean | undefined
    }
  | { readonly type: 'thread.pinned'; readonly pinned: boolean }
  | { readonly type: 'thread.archived'; readonly archived: boolean }
  /** Out of every list, and restorable for seven days; its entries stay. */
  | { readonly type: 'thread.deleted' }
  | { readonly type: 'thread.restored' }
  /** `costLimit`: US dollars this run and its subagents may cost; null without a limit. */
  | { readonly type: 'run.started'; readonly costLimit?: number | null | undefined }
  | { readonly type: 'run.ended'; readonly status: RunStatus; readonly reason: RunReason; readonly message: string }
  | { readonly type: 'message'; readonly message: Message }
  | { readonly type: 'message.queued'; readonly queued: QueuedMessage }
  /** `outside`: it may have effects that no transaction holds, so a start without a result is asked about after a crash. */
  | {
      readonly type: 'tool.started'
      readonly callId: ToolCallId
      readonly name: string
      readonly input: JsonObject
      readonly outside?: true
    }
  | {
      readonly type: 'tool.finished'
      readonly callId: ToolCallId
      readonly name: string
      readonly result: ToolResult
      readonly durationMs: number
      /** What the thread now knows of files the call read or wrote. */
      readonly reads: readonly (readonly [VirtualPath, BlobHash])[]
      /** The versions on disk, by name, that its reads of changed files were made beside. */
      readonly besides?: readonly (readonly [VirtualPath, string])[]
    }
  /** A call the loop makes by itself, stored with the result of the call whose declarations it carries out. */
  | {
      readonly type: 'call.derived'
      readonly callId: ToolCallId
      readonly from: ToolCallId
      readonly name: string
      readonly input: JsonObject
    }
  /** The tasks are the input of the call; the result files go to `folder`, a virtual path that ends with a slash. */
  | {
      readonly type: 'batch.started'
      readonly callId: ToolCallId
      readonly folder: string
      readonly concurrency: number
    }
  /** A person has those tasks of a finished batch run again that did not end well. */
  | { readonly type: 'batch.retried'; readonly callId: ToolCallId }
  /** The agent was told, by the message stored with this, that files moved on disk under it. */
  | { readonly type: 'drift.told'; readonly files: readonly Drift[] }
  /** The agent was told, by the message stored with this, the instructions of folders it works in. */
  | { readonly type: 'instructions.told'; readonly files: readonly string[] }
  | { readonly type: 'todos.written'; readonly todos: readonly Todo[]; readonly by: 'agent' | 'person' | 'loop' }
  | { readonly type: 'interrupt.raised'; readonly interrupt: Interrupt }
  | { readonly type: 'interrupt.decided'; readonly interruptId: InterruptId; readonly decision: Decision }
  /** Of a reply, or of the summary a compaction asked for. */
  | { readonly type: 'usage'; readonly usage: Usage; readonly model: string; readonly for?: 'summary' | undefined }
  | { readonly type: 'compaction.requested' }
  /** Nothing was there to summarise, or the model gave no summary. */
  | { readonly type: 'compaction.settled' }
  | ({ readonly type: 'compacted'; readonly messages: number } & Compaction)
  | { readonly type: 'checkpoint'; readonly step: number; readonly treeHash: string }
  | MemoryEntryBody
  | TreeEntryBody

/** What happens to the project's memory; `name` is below `/memories/`, without that prefix: `notes/style.md`. */
export type MemoryEntryBody =
  | {
      readonly type: 'memory.written'
      readonly name: string
      readonly text: string
      /** Null: a person. */
      readonly agent: string | null
      readonly callId: ToolCallId | null
      /** The version it is equal to, when it brings one back. */
      readonly restores: Sequence | null
    }
  | {
      readonly type: 'memory.deleted'
      readonly name: string
      readonly agent: string | null
      readonly callId: ToolCallId | null
    }
  /** A call of an agent read these. */
  | { readonly type: 'memory.recalled'; readonly names: readonly string[] }

/** Entries that change a branch's tree; `patch` is over the tree of `branchId` as it was just before. */
export type TreeEntryBody =
  | {
      readonly type: 'branch.forked'
      readonly branchId: BranchId
      readonly parentId: BranchId | null
      readonly ownerThreadId: ThreadId
      readonly handle: Handle | null
      readonly name: string
    }
  | {
      readonly type: 'tree.changed'
      readonly branchId: BranchId
      readonly patch: Patch
      /** The tool call that caused it; null when a person did. */
      readonly callId: ToolCallId | null
      /** The change that this takes back; absent for any other change, and in journals of older versions. */
      readonly undoes?: Sequence
    }
  | {
      readonly type: 'branch.merged'
      readonly branchId: BranchId
      readonly into: BranchId
      /** Over the tree of `into`. */
      readonly patch: Patch
      readonly bases: readonly MergeBase[]
      readonly result: MergeResult
      readonly forced: boolean
      readonly by: 'agent' | 'person'
    }
  | {
      readonly type: 'branch.discarded'
      readonly branchId: BranchId
      /** Over the tree of `branchId`: the discarded paths go back to the fork point. */
      readonly patch: Patch
      /** Whole: the branch is dropped and restorable for seven days. */
      readonly whole: boolean
      readonly by: 'agent' | 'person'
    }
  | {
      readonly type: 'branch.restored'
      readonly branchId: BranchId
      readonly patch: Patch
      /** The discard that this takes back; absent where a dropped branch was restored, and in journals of older versions. */
      readonly undoes?: Sequence
    }
  /** A merge or discard was taken back; `patch` inverts it. */
  | {
      readonly type: 'merge.undone'
      readonly branchId: BranchId
      readonly into: BranchId
      /** The merge that this takes back. */
      readonly of: Sequence
      /** The same as `of`, under the name that every undo has; journals of older versions lack it. */
      readonly undoes?: Sequence
      readonly patch: Patch
    }
  /** The thread and its subagents are as they were after the entry `to`; the state before is kept. */
  | {
      readonly type: 'rewound'
      readonly to: Sequence
      /** What happens to each branch of the family, over its tree; those forked after `to` are dropped. Null: files stay. */
      readonly files: readonly BranchPatch[] | null
      readonly conversation: boolean
      /** The rewind that this takes back. */
      readonly undoes: Sequence | null
    }
  | {
      readonly type: 'apply.started'
      readonly branchId: BranchId
      readonly paths: readonly string[]
      /** What is to be done on disk, so that a crash on the way can be settled; journals of older versions lack it. */
      readonly steps?: readonly NodeStep[]
      /** The apply that this takes back. */
      readonly undoes?: Sequence
    }
  /** One that was started and did not happen: the folder is as it was before, but for `left`, which others changed. */
  | {
      readonly type: 'apply.failed'
      readonly branchId: BranchId
      readonly of: Sequence
      readonly left: readonly string[]
    }
  | {
      readonly type: 'apply.finished'
      readonly branchId: BranchId
      readonly paths: readonly string[]
      /** Over the workspace: applied paths leave the overlay. */
      readonly patch: Patch
    }
  | {
      readonly type: 'apply.undone'
      readonly branchId: BranchId
      /** The apply that this takes back. */
      readonly of: Sequence
      /** The same as `of`, under the name that every undo has; journals of older versions lack it. */
      readonly undoes?: Sequence
      readonly patch: Patch
    }

export interface BranchPatch {
  readonly branchId: BranchId
  readonly patch: Patch
}

interface EntryHead {
  readonly sequence: Sequence
  readonly threadId: ThreadId
  /** Milliseconds since the Unix epoch. */
  readonly at: number
}

export type Entry = EntryBody & EntryHead
export type EntryDraft = EntryBody & { readonly threadId: ThreadId }
export type EntryType = EntryBody['type']
export type EntryOf<Type extends EntryType> = Extract<Entry, { type: Type }>

/** An entry of the calling thread, unless it names another thread. */
export type EntryFromTool = EntryBody & { readonly threadId?: ThreadId }
