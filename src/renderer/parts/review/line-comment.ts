import * as z from 'zod/mini'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import {
  readSaved,
  type SavedFormat,
  type SavedStorage,
  type SetAside,
  writeSaved,
} from '../../state/preferences/saved.ts'
import type { LineRange } from '../../ui/diff/line-range.ts'

/** A person's comment on some lines of a change. */
export interface LineComment {
  readonly path: VirtualPath
  readonly range: LineRange
  /** The lines as they read when the comment was written. */
  readonly quote: readonly string[]
  readonly text: string
}

/** A comment that has not been sent yet. */
export interface WaitingComment extends LineComment {
  readonly id: string
}

/** A comment in the form, which has not been added yet. */
export interface CommentForm {
  readonly path: VirtualPath
  /** The form stays below the end of this range, even when the person changes `range`. */
  readonly at: LineRange
  readonly range: LineRange
  readonly text: string
}

/** The unsent comments on one branch. */
export interface UnsentReview {
  readonly comments: readonly WaitingComment[]
  readonly form: CommentForm | null
}

export const nothingUnsent: UnsentReview = { comments: [], form: null }

/** The key under which a branch's unsent comments are saved. */
export function reviewKey(projectId: string, branchId: string): string {
  return `coppice-comments ${projectId} ${branchId}`
}

const path = z.custom<VirtualPath>((value) => typeof value === 'string' && value.startsWith('/'))
const range = z.object({ side: z.enum(['old', 'new']), from: z.number(), to: z.number() })

const format: SavedFormat<Partial<UnsentReview>> = {
  name: 'the review comments of a branch',
  version: 1,
  schema: z.partial(
    z.object({
      comments: z.array(z.object({ id: z.string(), path, range, quote: z.array(z.string()), text: z.string() })),
      form: z.nullable(z.object({ path, at: range, range, text: z.string() })),
    }),
  ) as z.ZodMiniType<Partial<UnsentReview>>,
}

/**
 * The saved comments. `setAside` is not null if saved comments could not be read; then the caller must tell the
 * person.
 */
export function readUnsent(storage: SavedStorage, key: string): { unsent: UnsentReview; setAside: SetAside | null } {
  const saved = readSaved(storage, key, format)
  if (saved.state === 'read')
    return { unsent: { comments: saved.value.comments ?? [], form: saved.value.form ?? null }, setAside: null }
  return { unsent: nothingUnsent, setAside: saved.state === 'set_aside' ? saved : null }
}

/** Saves the comments. If there is no room, the comments saved before stay. */
export function saveUnsent(storage: SavedStorage, key: string, unsent: UnsentReview): void {
  if (unsent.comments.length === 0 && unsent.form === null) storage.removeItem(key)
  else writeSaved(storage, key, format, unsent)
}

/** Adds or replaces a comment. Comments are ordered by file, then by line. */
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
