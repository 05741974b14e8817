/** Compares and joins texts in bounded time, without blocking the process. Lines keep their own line ends. */
export interface TextMerge {
  /** Null when the changes overlap or the time ran out. The caller treats that as a conflict. */
  merge(base: string, ours: string, theirs: string): Promise<{ readonly text: string } | null>
  /** `context` is the number of unchanged lines shown around each change. */
  hunks(before: string, after: string, context: number): Promise<TextDiff>
}

export interface TextHunk {
  /** 1-based as in unified diffs; 0 for an empty side. */
  readonly oldStart: number
  /** Lines of context included. */
  readonly oldLines: number
  /** Like `oldStart`, in the text after. */
  readonly newStart: number
  /** Lines of context included. */
  readonly newLines: number
  /** Each with its first character ' ', '+', '-' or '\' as in a unified diff, without the line end. */
  readonly lines: readonly string[]
}

export interface TextDiff {
  /** In order; empty for equal texts. */
  readonly hunks: readonly TextHunk[]
  /** Lines in all hunks together. */
  readonly added: number
  /** Lines in all hunks together. */
  readonly removed: number
  /** True when the time ran out: the whole text is then shown as replaced. */
  readonly approximate: boolean
}
