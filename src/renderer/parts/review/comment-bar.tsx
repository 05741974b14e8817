import { ChevronRight, MessageSquareShare } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { PathText } from '../../ui/controls/path-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { RefusalNotice } from '../refusal-notice.tsx'
import { placeOf } from './review-message.ts'
import { SavedComment } from './saved-comment.tsx'
import type { Review } from './use-review.ts'

const labels = strings.review

interface CommentBarProps {
  readonly review: Review
  readonly onShow: (path: VirtualPath) => void
}

/** The unsent comments, and the button that sends them as one message. */
export function CommentBar({ review, onShow }: CommentBarProps): ReactNode {
  const [open, setOpen] = useState(false)
  const { comments } = review.unsent
  if (comments.length === 0) return null
  return (
    <section aria-label={labels.region} className="shrink-0 border-line border-b bg-accent-soft">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
        <Button
          tone="quiet"
          aria-expanded={open}
          aria-label={open ? labels.hide : labels.show}
          icon={<ChevronRight size={14} aria-hidden className={classNames(open && 'rotate-90')} />}
          onClick={() => setOpen(!open)}
        />
        <p className="min-w-0 flex-1 basis-40">
          {labels.waiting(comments.length, review.agent)}{' '}
          <span className="text-muted text-xs">{review.running ? labels.atOnce : labels.newTurn}</span>
        </p>
        <Button
          tone="primary"
          icon={<MessageSquareShare size={14} aria-hidden />}
          disabled={review.command.busy}
          onClick={() => void review.send()}
        >
          {labels.send}
        </Button>
      </header>
      {review.command.refusal && <RefusalNotice refusal={review.command.refusal} />}
      {open && (
        <ul className="max-h-56 divide-y divide-line overflow-y-auto border-line border-t bg-canvas">
          {comments.map((comment) => (
            <li key={comment.id} className="px-3 py-1.5">
              <button
                type="button"
                onClick={() => onShow(comment.path)}
                className="flex min-h-6 max-w-full items-center gap-2 text-left text-muted text-xs hover:underline"
              >
                <PathText path={comment.path} />
                <span className="shrink-0">{placeOf(comment.range)}</span>
              </button>
              <SavedComment comment={comment} review={review} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
