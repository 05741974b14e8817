/** The comparison of texts, which the overlay asks for. */
export type { TextDiff, TextHunk, TextMerge } from '#overlay'
