import type { ChangeKind, FileChange } from '../../model/branch.ts'
import type { DecisionType } from '../../model/calls/interrupt.ts'
import type { BranchId, Handle, Sequence, ThreadId, ToolCallId } from '../../model/ids.ts'
import type { VirtualPath } from '../../model/virtual-path.ts'

export interface FileEntry {
  readonly name: string
  readonly path: VirtualPath
  /** A link is not followed. */
  readonly kind: 'file' | 'directory' | 'symlink'
  /** Bytes; 0 for folders and links. */
  readonly size: number
  /** Milliseconds since the Unix epoch. */
  readonly modified: number
  /** Null when the branch did not change it. */
  readonly change: ChangeKind | null
  /** True for a folder when the branch changed something below it. */
  readonly changedBelow: boolean
  /** True for `.git` and for what `.gitignore` files exclude. */
  readonly ignored?: boolean
}

export interface FilePage {
  /** Folders first, then by name. */
  readonly entries: readonly FileEntry[]
  /** How many entries could not be read and are left out. */
  readonly unreadable: number
}

export type FileContent =
  | { readonly kind: 'text'; readonly text: string; readonly size: number; readonly truncated: boolean }
  | { readonly kind: 'image'; readonly mediaType: string; readonly base64: string; readonly size: number }
  | { readonly kind: 'binary'; readonly size: number }
  | { readonly kind: 'absent' }

/** What put lines into a file: a call of an agent, a merge that was settled by hand, or a person's edit of the branch. */
export interface LineSource {
  /** The entry of the journal. */
  readonly sequence: Sequence
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly threadId: ThreadId
  /** The agent on whose branch it was written first. */
  readonly agent: string
  readonly branchId: BranchId
  readonly branch: string
  /** How agents name the branch. Null for the workspace. */
  readonly handle: Handle | null
  readonly callId: ToolCallId | null
  /** Null for what no call wrote: a `merge`, or a person's `edit` of the branch. */
  readonly tool: string | null
  readonly how: 'call' | 'merge' | 'edit'
  /** What a person decided about the call. Null for a call that nobody was asked about. */
  readonly decision: DecisionType | null
  /** The beginning of the message that the agent worked on. Empty where none is known. */
  readonly task: string
}

export interface FileBlame {
  /** In order. `source` is an index of `sources`; null for a line that the folder had. */
  readonly lines: readonly { readonly text: string; readonly source: number | null }[]
  /** In the order of the journal. */
  readonly sources: readonly LineSource[]
}

/** A version of a file as bytes, for viewers that show more than text. */
export interface FileVersion {
  /** Bytes. */
  readonly size: number
  /** SHA-256 of the content. */
  readonly hash: string
  /** Null for a file that is too large to be sent. */
  readonly base64: string | null
}

/** The two versions of a changed file; null for a version that is not there or is no file. */
export interface FileVersions {
  readonly before: FileVersion | null
  readonly after: FileVersion | null
}

export interface DiffHunk {
  /** 1-based as in unified diffs; 0 for an empty side. */
  readonly oldStart: number
  readonly oldLines: number
  /** Like `oldStart`, in the file after. */
  readonly newStart: number
  readonly newLines: number
  /** Each with its first character ' ', '+', '-' or '\\' as in a unified diff; very long ones are cut. */
  readonly lines: readonly string[]
}

export interface FileDiff {
  /** The requested path; either path of a rename. */
  readonly path: VirtualPath
  /** The kind of change and its line counts. */
  readonly change: FileChange
  readonly hunks: readonly DiffHunk[]
  /** True when the diff is too large to show and only its beginning is here. */
  readonly truncated: boolean
  /** Fingerprint of these hunks, for commands that choose some of them. Null when hunks cannot be chosen one by one. */
  readonly fingerprint: string | null
}

/** The effect of a waiting call if it ran now. It is found by running the call on a branch that is thrown away. */
export type CallPreviewView =
  /** The effect cannot be known without running the call for real, so only its arguments can be shown. */
  | { readonly kind: 'arguments' }
  | {
      readonly kind: 'files'
      /** The first of the files it would change. */
      readonly files: readonly FileDiff[]
      /** How many more files it would change. */
      readonly more: number
      /** True when it would change folders without a file in them, and nothing else. */
      readonly foldersOnly: boolean
      /** Why the call would fail and change nothing; null when it would work. */
      readonly problem: string | null
    }
