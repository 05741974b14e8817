import { Pencil, Trash2 } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useEdit } from '../../state/hooks/use-edit.ts'
import type { Edit } from '../../state/store/edits.ts'
import { strings } from '../../strings/strings.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { TextArea } from '../../ui/controls/field.tsx'
import { toastWithUndo } from '../../ui/controls/toast.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import type { WaitingComment } from './line-comment.ts'
import { placeOf } from './review-message.ts'
import type { LineComments } from './use-review.ts'

const labels = strings.review

interface SavedCommentProps {
  readonly comment: WaitingComment
  readonly review: LineComments
}

/** An unsent comment with its buttons. A deleted comment can be brought back. */
export function SavedComment({ comment, review }: SavedCommentProps): ReactNode {
  const [edit, setEdit] = useEdit(`comment ${comment.id}`)
  /** Whether the person began to edit here. A field that only came back into view must not take the focus. */
  const [began, setBegan] = useState(false)
  const place = placeOf(comment.range)
  const remove = (): void => {
    review.remove(comment)
    toastWithUndo({
      message: labels.removedOne,
      undoLabel: strings.common.undo,
      onUndo: () => review.put(comment),
    })
  }
  const begin = (): void => {
    setBegan(true)
    setEdit({ before: comment.text, typed: comment.text })
  }
  if (edit) return <EditComment comment={comment} review={review} edit={edit} focused={began} onEdit={setEdit} />
  return (
    <div className="flex items-start gap-1">
      <p className="min-w-0 flex-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
        <VisibleText text={comment.text} />
      </p>
      <IconButton label={labels.editLabel(comment.path, place)} onClick={begin}>
        <Pencil size={13} aria-hidden />
      </IconButton>
      <IconButton label={labels.removeLabel(comment.path, place)} onClick={remove}>
        <Trash2 size={13} aria-hidden />
      </IconButton>
    </div>
  )
}

interface EditCommentProps extends SavedCommentProps {
  readonly edit: Edit
  /** Whether the field takes the focus when it appears. */
  readonly focused: boolean
  /** Null closes the edit. */
  readonly onEdit: (edit: Edit | null) => void
}

function EditComment({ comment, review, edit, focused, onEdit }: EditCommentProps): ReactNode {
  const text = edit.typed
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (focused) box.current?.focus()
  }, [focused])
  const save = (): void => {
    if (text.trim() === '') return
    review.put({ ...comment, text: text.trim() })
    onEdit(null)
  }
  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation()
    if (event.key === 'Escape') onEdit(null)
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
        onChange={(event) => onEdit({ ...edit, typed: event.target.value })}
      />
      <span className="flex justify-end gap-2">
        <Button onClick={() => onEdit(null)}>{strings.common.cancel}</Button>
        <Button tone="primary" disabled={text.trim() === ''} onClick={save}>
          {labels.save}
        </Button>
      </span>
    </fieldset>
  )
}
