/** Compares and joins texts without holding up the process, always bounded in time. Lines keep their own line ends. */
export interface TextMerge {
  /** `null` when the texts overlap or the bound was reached: the caller treats it as a conflict. */
  merge(base: string, ours: string, theirs: string): Promise<{ readonly text: string } | null>
  hunks(before: string, after: string, context: number): Promise<TextDiff>
}

export interface TextHunk {
  /** 1-based as in unified diffs; 0 for an empty side. */
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  /** Each with its first character ' ', '+', '-' or '\' as in a unified diff, without the line end. */
  readonly lines: readonly string[]
}

export interface TextDiff {
  readonly hunks: readonly TextHunk[]
  readonly added: number
  readonly removed: number
  /** The bound was reached and the whole text is shown as replaced. */
  readonly approximate: boolean
}
