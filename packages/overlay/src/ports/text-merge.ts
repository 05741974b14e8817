/** Compares and merges texts in limited time, without blocking the process. Lines keep their own line ends. */
export interface TextMerge {
  /** Null when the changes overlap or the time ran out. The caller treats that as a conflict. */
  merge(base: string, ours: string, theirs: string): Promise<{ readonly text: string } | null>
  /** `context` is the number of unchanged lines shown around each change. */
  hunks(before: string, after: string, context: number): Promise<TextDiff>
}

export interface TextHunk {
  /** 1-based as in unified diffs; 0 for an empty side. */
  readonly oldStart: number
  /** Includes lines of context. */
  readonly oldLines: number
  /** Like `oldStart`, in the text after. */
  readonly newStart: number
  /** Includes lines of context. */
  readonly newLines: number
  /** Each with its first character ' ', '+', '-' or '\' as in a unified diff, without the line end. */
  readonly lines: readonly string[]
}

export interface TextDiff {
  /** In order; empty for equal texts. */
  readonly hunks: readonly TextHunk[]
  /** Number of added lines in all hunks. */
  readonly added: number
  /** Number of removed lines in all hunks. */
  readonly removed: number
  /** True when the time ran out. The whole text, or a part of it, is then shown as replaced. */
  readonly approximate: boolean
}
