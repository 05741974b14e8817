export type TextTask =
  | { readonly kind: 'merge'; readonly base: string; readonly ours: string; readonly theirs: string }
  | { readonly kind: 'compare'; readonly before: string; readonly after: string; readonly context: number }
