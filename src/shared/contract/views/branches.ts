import type { BranchStatus, ChangeKind, Conflict, FileChange, MergeResult, MergeStatus } from '../../model/branch.ts'
import type { MadeCommit } from '../../model/calls/outcome.ts'
import type { BranchId, Handle, Sequence } from '../../model/ids.ts'
import type { VirtualPath } from '../../model/virtual-path.ts'
import type { RememberedSince } from './threads.ts'

export interface BranchFile extends FileChange {
  /** The result of merging this file now. */
  readonly status: MergeStatus
}

/** How two branches, or two moments of one, differ. */
export type BranchComparison = readonly FileChange[]

/** Size of a branch's changes since its fork. A binary file counts as a file and adds no lines. */
export interface BranchLines {
  /** A rename counts as one. */
  readonly files: number
  readonly added: number
  readonly removed: number
}

export interface BranchReview {
  readonly branchId: BranchId
  /** Null for the workspace. */
  readonly handle: Handle | null
  /** A discarded branch can still be reviewed. */
  readonly status: BranchStatus
  /** True when the branch has nothing that its parent lacks. */
  readonly closed: boolean
  /** Every file that differs from the fork point. */
  readonly files: readonly BranchFile[]
}

/** One version of a path, for a person who cannot read it as text. */
export interface ConflictVersion {
  readonly kind: 'file' | 'symlink' | 'directory'
  /** Bytes; 0 for a folder. */
  readonly size: number
  readonly executable: boolean
  /** As `chmod` takes them, such as `600`. Absent where nobody chose them. */
  readonly permissions?: string
  /** The SHA-256 of a file in hexadecimal digits, or the target of a link; null for a folder. */
  readonly identity: string | null
}

export interface ConflictSides {
  readonly path: VirtualPath
  /** Null when the sides do not conflict, and for a conflict with the disk. */
  readonly conflict: Conflict | null
  /** Text of the last common version; null when there is none or it is not text. */
  readonly base: string | null
  /** Text of the parent's version; null when it is absent or not text. */
  readonly ours: string | null
  /** Text of the branch's version, or the disk's; null when it is absent or not text. */
  readonly theirs: string | null
  /** What each side is, null when it is absent. Missing for a conflict with the disk. */
  readonly versions?: Readonly<Record<'base' | 'ours' | 'theirs', ConflictVersion | null>>
}

/** What is left to merge of one branch, and what stands in the way. */
export interface BranchSurvey {
  readonly branchId: BranchId
  /** Files that merge without a decision, joined texts included. */
  readonly ready: number
  /** Files that conflict with the parent. */
  readonly conflicts: readonly VirtualPath[]
  /** Other unmerged branches that conflict with this one, once one of the two is merged. */
  readonly rivals: readonly { readonly branchId: BranchId; readonly path: VirtualPath }[]
}

export interface ReadyMerge {
  /** The entries of the merges, in order. `branches.undo` undoes them one by one, the last one first. */
  readonly sequences: readonly Sequence[]
  /** Branches with conflicts, which were left untouched. */
  readonly left: readonly BranchId[]
}

export interface BatchMerge {
  /** The entries of the merges, in order. `branches.undo` undoes them one by one, the last one first. */
  readonly sequences: readonly Sequence[]
  /** Branches with conflicts, which were left untouched. */
  readonly left: readonly Handle[]
}

export interface MergeReceipt {
  /** Names every path that was merged, skipped or in conflict. */
  readonly result: MergeResult
  /** The entry that *Undo* names; null when nothing was merged. */
  readonly sequence: Sequence | null
}

/** The effects of a rewind, computed before it happens. */
export interface RewindPreview {
  /** Branches whose files would change. `changes` lead from now to then. */
  readonly branches: readonly {
    readonly branchId: BranchId
    /** Null for the workspace. */
    readonly agent: string | null
    readonly changes: readonly FileChange[]
  }[]
  /** How many messages would leave the conversation, and how many would come back. */
  readonly messages: { readonly leaving: number; readonly returning: number }
  /** Number of waiting approvals that would disappear. */
  readonly approvals: number
  /** Subagents, by name, that were started since and would disappear. */
  readonly leaving: readonly string[]
  /** Subagents, by name, that an earlier rewind took away and that would come back. */
  readonly returning: readonly string[]
  /** Memories that the family wrote since. They stay, unless a person reverts them one by one. */
  readonly memories: readonly RememberedSince[]
  /** Files that were applied to disk since. The folder keeps them. */
  readonly applied: readonly VirtualPath[]
  /** True when an agent is working now and would be stopped. */
  readonly running: boolean
}

export interface PatchExport {
  /** The git patch in base64, because a patch may hold any bytes. */
  readonly base64: string
  /** For reading: bytes that are not UTF-8 are replaced. */
  readonly text: string
  /** How many files the patch changes; 0 for an empty patch. */
  readonly files: number
  /** Changes that a patch cannot carry, with a sentence for a person. */
  readonly leftOut: readonly { readonly path: VirtualPath; readonly why: string }[]
  /** What whoever takes the patch must know, as whole sentences. They are also above its first file, where git skips them. */
  readonly notes: readonly string[]
  /** `reader` is the app's own; `git` is missing where git is not installed. Empty for an empty patch. */
  readonly verifiedBy: readonly ('git' | 'reader')[]
}

/** The changes of a branch since its fork. */
export interface BranchPatch {
  readonly changes: readonly FileChange[]
  readonly patch: PatchExport
}

/** What agents left in git alone. */
export interface LeftInGit {
  /** Commits and stashes that the person's repositories have not. */
  readonly commits: readonly MadeCommit[]
  /** Folders in which agents made repositories, which an apply writes with their commits. */
  readonly repositories: readonly VirtualPath[]
}

export interface ApplyPlan {
  /** One row for each changed path. */
  readonly files: readonly ApplyTarget[]
}

export interface ApplyTarget {
  readonly path: VirtualPath
  readonly kind: ChangeKind
  /** `changed`: the disk differs from the pinned base. `refused`: now a link, a folder or a special file. */
  readonly state: 'ready' | 'changed' | 'refused'
  /** A sentence for a person; null when it is `ready`. */
  readonly why: string | null
  /** True when the workspace's change and the disk's can be joined, because they do not overlap. Absent if not. */
  readonly joins?: true
  /** As in the list of changes. `apply` takes it as what the person expects to be written. */
  readonly identity: string
  /** Files that are written or deleted together with it, such as the other half of a rename. Absent if there are none. */
  readonly companions?: readonly ApplyCompanion[]
}

export interface ApplyCompanion {
  readonly path: VirtualPath
  /** `apply` takes it as what the person expects to be written along. */
  readonly identity: string
  readonly deleted: boolean
}

export interface ApplyReceipt {
  /** The entry that *Undo* names. */
  readonly sequence: Sequence
  readonly written: readonly VirtualPath[]
  readonly deleted: readonly VirtualPath[]
}
