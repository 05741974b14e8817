import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { LineRange } from '../../ui/line-range.ts'
import type { DraftStorage } from '../draft.ts'

/** What a person says of some lines of a change. */
export interface LineComment {
  readonly path: VirtualPath
  readonly range: LineRange
  /** The lines as they stood when it was written. */
  readonly quote: readonly string[]
  readonly text: string
}

/** A comment that waits to be sent. */
export interface DraftComment extends LineComment {
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
export interface ReviewDraft {
  readonly comments: readonly DraftComment[]
  readonly form: CommentForm | null
}

export const emptyDraft: ReviewDraft = { comments: [], form: null }

export function reviewKey(projectId: string, branchId: string): string {
  return `coppice-comments ${projectId} ${branchId}`
}

export function parseReview(saved: string | null): ReviewDraft {
  if (saved === null) return emptyDraft
  try {
    return { ...emptyDraft, ...(JSON.parse(saved) as Partial<ReviewDraft>) }
  } catch {
    return emptyDraft
  }
}

export function saveReview(storage: DraftStorage, key: string, draft: ReviewDraft): void {
  try {
    if (draft.comments.length === 0 && draft.form === null) storage.removeItem(key)
    else storage.setItem(key, JSON.stringify(draft))
  } catch {
    // It is too large to keep; it is still on screen.
  }
}

/** Where it stands among the others: by file, then by line. */
export function withComment({ comments }: ReviewDraft, comment: DraftComment): ReviewDraft {
  const others = comments.filter(({ id }) => id !== comment.id)
  return { form: null, comments: [...others, comment].sort(byPlace) }
}

export function withoutComment(draft: ReviewDraft, id: string): ReviewDraft {
  return { ...draft, comments: draft.comments.filter((comment) => comment.id !== id) }
}

function byPlace(a: LineComment, b: LineComment): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1
  return a.range.to - b.range.to
}
