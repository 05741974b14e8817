import type { TextDiff } from '#core/ports/text-merge.ts'

export type TextJob =
  | { readonly kind: 'merge'; readonly base: string; readonly ours: string; readonly theirs: string }
  | { readonly kind: 'hunks'; readonly before: string; readonly after: string; readonly context: number }

export type TextAnswer = TextDiff | { readonly text: string } | null
export type TextReply =
  | { readonly id: number; readonly answer: TextAnswer }
  | { readonly id: number; readonly error: string }
