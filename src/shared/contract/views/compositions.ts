import type { CheckState } from '../../model/check.ts'
import type { ComposeSegment, FileProposal, WholeReason } from '../../model/compose/composition.ts'
import type { BranchId, Handle, Sequence } from '../../model/ids.ts'
import type { VirtualPath } from '../../model/virtual-path.ts'

/** A tree that is chosen from. */
export interface CompositionSource {
  readonly branchId: BranchId
  /** The entry after which it is taken. Null for the branch as it is now. */
  readonly sequence: Sequence | null
  /** `workspace` for the branch of the root agent. */
  readonly name: string
  /** Null for the workspace. */
  readonly handle: Handle | null
  /** What the checks say about exactly this tree. `none` without checks. */
  readonly checks: CheckState
}

/** What a source has of a file that it changed. */
export interface CompositionVersion {
  /** Position in the list of sources. */
  readonly source: number
  /** What is at the file's path. `absent`: the source deleted it, or has it elsewhere. */
  readonly state: 'file' | 'symlink' | 'absent'
  /** Bytes; of a link, of its target. */
  readonly size: number
  readonly executable: boolean
  /** Names the content: versions with the same are equal. Null for nothing. The target of a link. */
  readonly identity: string | null
  /** Why it can be taken only as a whole. Null when its hunks can be chosen one by one. */
  readonly whole: WholeReason | null
}

/** A file that a source changed. */
export interface CompositionRow {
  readonly path: VirtualPath
  /** All paths that renames join with it. */
  readonly paths: readonly VirtualPath[]
  /** A choice names it. It changes whenever a version does. */
  readonly fingerprint: string
  /** Only of sources that changed it. */
  readonly versions: readonly CompositionVersion[]
  readonly hunks: number
  /** What evidence speaks for. */
  readonly proposal: FileProposal
}

export interface CompositionView {
  /** In the order of the request. The last one is the branch that gets the result, as it is now. */
  readonly sources: readonly CompositionSource[]
  /** Sorted by path. */
  readonly files: readonly CompositionRow[]
}

export interface CompositionFile extends CompositionRow {
  /** The lines of the file, by what all versions have and hunks. Empty when versions are no text. */
  readonly segments: readonly ComposeSegment[]
}
