import { lazy, type ReactNode, Suspense } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { strings } from '../../strings/strings.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import type { DiffComments } from '../../ui/diff/diff-comments.tsx'
import { CommentForm } from './comment-form.tsx'
import type { CommentForm as Form } from './line-comment.ts'
import { placeOf } from './review-message.ts'
import { SavedComment } from './saved-comment.tsx'
import type { Review } from './use-review.ts'

const labels = strings.review

/** Says that the lines have changed since the comment, and shows the old lines. */
function ChangedSince({ quote }: { quote: readonly string[] }): ReactNode {
  return (
    <div className="text-muted text-xs">
      <p>{labels.changedSince}</p>
      <blockquote className="my-1 max-h-20 overflow-y-auto whitespace-pre-wrap border-line-strong border-l-2 pl-2 font-mono [overflow-wrap:anywhere]">
        <VisibleText text={quote.join('\n')} />
      </blockquote>
    </div>
  )
}

/** Few comments are about where a line comes from. */
const WhyLines = lazy(async () => ({ default: (await import('../blame/why-lines.tsx')).WhyLines }))

function originOf(branchId: BranchId, { path, range }: Form): ReactNode {
  if (range.side === 'old') return null
  return (
    <Suspense>
      <WhyLines branchId={branchId} path={path} range={range} />
    </Suspense>
  )
}

/** The comments of a review on one file, for that file's diff. */
export function diffCommentsOf(review: Review, path: VirtualPath): DiffComments {
  const { comments } = review.unsent
  const form = review.unsent.form?.path === path ? review.unsent.form : null
  const own = comments.filter((comment) => comment.path === path)
  return {
    word: labels.comment,
    hunkLabel: (place) => labels.commentOnHunk(place, path),
    at: form?.at ?? null,
    range: form?.range ?? null,
    onChoose: (range) => review.choose(path, range),
    form: (quote) =>
      form && <CommentForm form={form} review={review} quote={quote} origin={originOf(review.branchId, form)} />,
    below: (line) => {
      const said = own.filter(({ range }) => line[range.side] === range.to)
      if (said.length === 0) return null
      return said.map((comment) => (
        <div key={comment.id} className="mx-2 my-1 max-w-2xl rounded-md border border-line bg-panel px-2 py-1 text-sm">
          <p className="text-2xs text-muted tabular-nums">{labels.onLines(placeOf(comment.range))}</p>
          {comment.quote.at(-1) !== line.text && <ChangedSince quote={comment.quote} />}
          <SavedComment comment={comment} review={review} />
        </div>
      ))
    },
  }
}
