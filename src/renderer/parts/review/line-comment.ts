import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { DraftStorage } from '../../state/preferences/draft.ts'
import type { LineRange } from '../../ui/diff/line-range.ts'

/** What a person says of some lines of a change. */
export interface LineComment {
  readonly path: VirtualPath
  readonly range: LineRange
  /** The lines as they stood when it was written. */
  readonly quote: readonly string[]
  readonly text: string
}

/** A comment that waits to be sent. */
export interface WaitingComment extends LineComment {
  readonly id: string
}

/** A comment that is being written. */
export interface CommentForm {
  readonly path: VirtualPath
  /** Below which line it is written; the lines meant can be changed without moving it. */
  readonly at: LineRange
  readonly range: LineRange
  readonly text: string
}

/** Comments on one branch that nobody has sent yet. */
export interface UnsentReview {
  readonly comments: readonly WaitingComment[]
  readonly form: CommentForm | null
}

export const nothingUnsent: UnsentReview = { comments: [], form: null }

export function reviewKey(projectId: string, branchId: string): string {
  return `coppice-comments ${projectId} ${branchId}`
}

export function parseReview(saved: string | null): UnsentReview {
  if (saved === null) return nothingUnsent
  try {
    return { ...nothingUnsent, ...(JSON.parse(saved) as Partial<UnsentReview>) }
  } catch {
    return nothingUnsent
  }
}

export function saveReview(storage: DraftStorage, key: string, unsent: UnsentReview): void {
  try {
    if (unsent.comments.length === 0 && unsent.form === null) storage.removeItem(key)
    else storage.setItem(key, JSON.stringify(unsent))
  } catch {
    // There is no room: what was kept before stays.
  }
}

/** Where it stands among the others: by file, then by line. */
export function withComment(unsent: UnsentReview, comment: WaitingComment): UnsentReview {
  const others = unsent.comments.filter(({ id }) => id !== comment.id)
  return { ...unsent, comments: [...others, comment].sort(byPlace) }
}

export function withoutComment(unsent: UnsentReview, id: string): UnsentReview {
  return { ...unsent, comments: unsent.comments.filter((comment) => comment.id !== id) }
}

function byPlace(a: LineComment, b: LineComment): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1
  return a.range.to - b.range.to
}
