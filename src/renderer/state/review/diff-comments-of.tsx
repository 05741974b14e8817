import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { DiffComments } from '../../ui/diff-comments.tsx'
import { strings } from '../strings.ts'
import { CommentForm } from './comment-form.tsx'
import { SavedComment } from './saved-comment.tsx'
import type { Review } from './use-review.ts'

const words = strings.review

/** The comments of a review on one file, as its diff shows them. */
export function diffCommentsOf(review: Review, path: VirtualPath): DiffComments {
  const { comments } = review.unsent
  const form = review.unsent.form?.path === path ? review.unsent.form : null
  const own = comments.filter((comment) => comment.path === path)
  return {
    word: words.comment,
    hunkLabel: (place) => words.commentOnHunk(place, path),
    at: form?.at ?? null,
    range: form?.range ?? null,
    onChoose: (range) => review.choose(path, range),
    form: (quote) => form && <CommentForm form={form} review={review} quote={quote} />,
    below: (line) => {
      const said = own.filter(({ range }) => line[range.side] === range.to)
      if (said.length === 0) return null
      return said.map((comment) => (
        <div key={comment.id} className="mx-2 my-1 max-w-2xl rounded-md border border-line bg-panel px-2 py-1 text-sm">
          <SavedComment comment={comment} review={review} />
        </div>
      ))
    },
  }
}
