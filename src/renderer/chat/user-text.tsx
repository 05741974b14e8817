import { MessageSquareQuote } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { useUpdateView } from '../state/hooks.tsx'
import type { LineComment } from '../state/review/line-comment.ts'
import { placeOf, readReview } from '../state/review/review-message.ts'
import { strings } from '../state/strings.ts'
import { openFile } from '../state/view.ts'
import { keyed } from '../ui/keyed.ts'
import { PathText } from '../ui/path-text.tsx'
import { reachable } from '../ui/reachable.ts'
import { VisibleText } from '../ui/visible-text-view.tsx'

const labels = strings.review

/** What a person wrote: comments of a review as such, anything else as it stands. */
export function UserText({ text }: { text: string }): ReactNode {
  const comments = useMemo(() => readReview(text), [text])
  if (!comments) return <div className="whitespace-pre-wrap text-base [overflow-wrap:anywhere]">{text}</div>
  return (
    <>
      <p className="flex items-center gap-1.5 text-muted text-xs">
        <MessageSquareQuote size={13} aria-hidden />
        {labels.inChat(comments.length)}
      </p>
      <ul className="flex flex-col divide-y divide-line">
        {keyed(comments).map(({ key, item }) => (
          <SentComment key={key} comment={item} />
        ))}
      </ul>
    </>
  )
}

function SentComment({ comment: { path, range, quote, text } }: { comment: LineComment }): ReactNode {
  const updateView = useUpdateView()
  return (
    <li className="flex flex-col gap-1 py-2">
      <button
        type="button"
        onClick={() => updateView((view) => openFile(view, path))}
        className="flex min-h-6 max-w-full items-center gap-2 text-left text-muted text-xs hover:underline"
      >
        <PathText path={path} />
        <span className="shrink-0">{placeOf(range)}</span>
      </button>
      {quote.length > 0 && (
        <section
          aria-label={labels.quoted}
          {...reachable}
          className="max-h-40 overflow-auto whitespace-pre border-line-strong border-l-2 pl-2 font-mono text-muted text-xs"
        >
          <VisibleText text={quote.join('\n')} />
        </section>
      )}
      <p className="whitespace-pre-wrap text-base [overflow-wrap:anywhere]">{text}</p>
    </li>
  )
}
