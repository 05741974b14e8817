import { Pencil, Trash2 } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { strings } from '../../strings/strings.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { TextArea } from '../../ui/controls/field.tsx'
import { toastWithUndo } from '../../ui/controls/toast.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import type { WaitingComment } from './line-comment.ts'
import { placeOf } from './review-message.ts'
import type { Review } from './use-review.ts'

const labels = strings.review

interface SavedCommentProps {
  readonly comment: WaitingComment
  readonly review: Review
}

/** An unsent comment with its buttons. A deleted comment can be brought back. */
export function SavedComment({ comment, review }: SavedCommentProps): ReactNode {
  const [editing, setEditing] = useState(false)
  const place = placeOf(comment.range)
  const remove = (): void => {
    review.remove(comment)
    toastWithUndo({
      message: labels.removedOne,
      undoLabel: strings.common.undo,
      onUndo: () => review.put(comment),
    })
  }
  if (editing) return <EditComment comment={comment} review={review} onDone={() => setEditing(false)} />
  return (
    <div className="flex items-start gap-1">
      <p className="min-w-0 flex-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
        <VisibleText text={comment.text} />
      </p>
      <IconButton label={labels.editLabel(comment.path, place)} onClick={() => setEditing(true)}>
        <Pencil size={13} aria-hidden />
      </IconButton>
      <IconButton label={labels.removeLabel(comment.path, place)} onClick={remove}>
        <Trash2 size={13} aria-hidden />
      </IconButton>
    </div>
  )
}

function EditComment({ comment, review, onDone }: SavedCommentProps & { onDone: () => void }): ReactNode {
  const [text, setText] = useState(comment.text)
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => box.current?.focus(), [])
  const save = (): void => {
    if (text.trim() === '') return
    review.put({ ...comment, text: text.trim() })
    onDone()
  }
  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation()
    if (event.key === 'Escape') onDone()
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save()
  }
  return (
    <fieldset
      aria-label={labels.editLabel(comment.path, placeOf(comment.range))}
      onKeyDown={onKeyDown}
      className="flex flex-col gap-2"
    >
      <TextArea
        ref={box}
        aria-label={labels.label}
        rows={3}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <span className="flex justify-end gap-2">
        <Button onClick={onDone}>{strings.common.cancel}</Button>
        <Button tone="primary" disabled={text.trim() === ''} onClick={save}>
          {labels.save}
        </Button>
      </span>
    </fieldset>
  )
}
