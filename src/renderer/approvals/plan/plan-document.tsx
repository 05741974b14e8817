import { type MouseEvent, type ReactNode, useMemo, useState } from 'react'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { CommentForm } from '../../parts/review/comment-form.tsx'
import { placeOf } from '../../parts/review/review-message.ts'
import { SavedComment } from '../../parts/review/saved-comment.tsx'
import type { LineComments } from '../../parts/review/use-review.ts'
import { cardStrings } from '../../strings/later/card.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { extendRange, type LineRange } from '../../ui/diff/line-range.ts'
import { classNames } from '../../ui/react/class-names.ts'
import { reachable } from '../../ui/react/elements.tsx'
import { type PlanPiece, planPieces } from './plan-pieces.ts'

const labels = cardStrings.plan

/** The name of a plan among the documents that can be commented on. */
const planPath = '/plan.md' as VirtualPath
/** So many pieces are drawn at first. */
const shownAtFirst = 120

interface PlanDocumentProps {
  readonly plan: string
  readonly comments: LineComments
}

/** A plan as a document. A click on a line number begins a comment; with Shift it extends the lines of the comment. */
export function PlanDocument({ plan, comments }: PlanDocumentProps): ReactNode {
  const pieces = useMemo(() => planPieces(plan), [plan])
  const lines = useMemo(() => plan.split('\n'), [plan])
  const [count, setCount] = useState(shownAtFirst)
  const quote = ({ from, to }: LineRange): readonly string[] => lines.slice(from - 1, to)
  const last = pieces.at(count - 1)?.to ?? lines.length
  return (
    <section
      aria-label={labels.document}
      {...reachable}
      className="max-h-[60vh] overflow-auto rounded-md border border-line bg-panel py-2"
    >
      {pieces.slice(0, count).map((piece, index) => (
        <Piece
          key={piece.from}
          piece={piece}
          until={
            index === Math.min(count, pieces.length) - 1 ? Number.POSITIVE_INFINITY : (pieces[index + 1]?.from ?? 0)
          }
          comments={comments}
          quote={quote}
        />
      ))}
      {pieces.length > count && (
        <Button tone="quiet" className="ml-2" onClick={() => setCount(Number.POSITIVE_INFINITY)}>
          {labels.showRest(lines.length - last)}
        </Button>
      )}
    </section>
  )
}

interface PieceProps {
  readonly piece: PlanPiece
  /** The line where the next piece begins. What is said about lines before it stands below this piece. */
  readonly until: number
  readonly comments: LineComments
  readonly quote: (range: LineRange) => readonly string[]
}

function Piece({ piece: { text, from, to }, until, comments, quote }: PieceProps): ReactNode {
  const own: LineRange = { side: 'new', from, to }
  const { form, comments: waiting } = comments.unsent
  const endsHere = (range: LineRange): boolean => range.to >= from && range.to < until
  const said = waiting.filter(({ range }) => endsHere(range))
  const chosen = form !== null && form.range.from <= to && form.range.to >= from
  function choose({ shiftKey }: MouseEvent): void {
    comments.choose(planPath, shiftKey ? extendRange(form?.range ?? null, own) : own)
  }
  return (
    <>
      <div className={classNames('grid grid-cols-[2.75rem_minmax(0,1fr)] gap-x-2 pr-3', chosen && 'bg-accent-soft')}>
        <button
          type="button"
          aria-label={labels.commentOn(placeOf(own))}
          title={labels.commentHint}
          onClick={choose}
          className="self-start rounded-sm py-1 pr-1 text-right text-faint text-xs tabular-nums hover:text-accent focus-visible:text-accent"
        >
          {from}
        </button>
        <div className="min-w-0 py-0.5 [&_.markdown>:first-child]:mt-0">
          <Markdown text={text} />
        </div>
      </div>
      {said.map((comment) => (
        <div key={comment.id} className="my-1 mr-3 ml-13 rounded-md border border-line bg-raised px-2 py-1 text-sm">
          <p className="text-2xs text-muted tabular-nums">{strings.review.onLines(placeOf(comment.range))}</p>
          <SavedComment comment={comment} review={comments} />
        </div>
      ))}
      {form && endsHere(form.at) && (
        <div className="mr-1 ml-11">
          <CommentForm form={form} review={comments} quote={quote} />
        </div>
      )}
    </>
  )
}
