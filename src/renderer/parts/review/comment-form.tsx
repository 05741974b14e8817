import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { keysHere } from '../../state/preferences/keymap.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextArea, TextInput } from '../../ui/controls/field.tsx'
import type { Quote } from '../../ui/diff/diff-comments.tsx'
import type { LineRange } from '../../ui/diff/line-range.ts'
import { isFocusNowhere, mayTakeFocus } from '../../ui/react/focus.ts'
import type { CommentForm as Form } from './line-comment.ts'
import { placeOf } from './review-message.ts'
import type { LineComments } from './use-review.ts'

const labels = strings.review

interface CommentFormProps {
  readonly form: Form
  readonly review: LineComments
  readonly quote: Quote
  /** Where the lines come from. Absent for what has no lines of a branch. */
  readonly origin?: ReactNode
}

/** The form of a comment, shown below its lines. */
export function CommentForm({ form, review, quote, origin }: CommentFormProps): ReactNode {
  const lines = quote(form.range)
  const ready = form.text.trim() !== '' && lines.length > 0
  const box = useReturningFocus()
  const add = (): void => review.add(lines)
  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation()
    if (event.key === 'Escape') review.cancel()
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && ready) add()
  }
  return (
    <fieldset
      aria-label={labels.commentOn(form.path, placeOf(form.range))}
      onKeyDown={onKeyDown}
      className="mx-2 my-1 flex max-w-2xl flex-col gap-2 rounded-md border border-line-strong bg-panel p-2 text-sm"
    >
      <TextArea
        ref={box}
        aria-label={labels.label}
        rows={3}
        value={form.text}
        onChange={(event) => review.write(event.target.value)}
      />
      {lines.length === 0 && <p className="text-warn text-xs">{labels.notShown}</p>}
      <div className="flex flex-wrap items-center gap-2">
        <LineNumbers range={form.range} onChange={review.mean} />
        <span className="ml-auto flex gap-2">
          <Button onClick={review.cancel}>{strings.common.cancel}</Button>
          <Button tone="primary" disabled={!ready} title={`${labels.add} (${keysHere('Mod+Enter')})`} onClick={add}>
            {labels.add}
          </Button>
        </span>
      </div>
      <p className="text-muted text-xs">{labels.hint}</p>
      {origin}
    </fieldset>
  )
}

interface LineNumbersProps {
  readonly range: LineRange
  readonly onChange: (range: LineRange) => void
}

/** Chooses the lines by number, for a person without a pointer. */
function LineNumbers({ range, onChange }: LineNumbersProps): ReactNode {
  return (
    <>
      {(['from', 'to'] as const).map((end) => (
        <LineNumber
          key={end}
          label={labels[end]}
          line={range[end]}
          onChange={(line) => onChange({ ...range, [end]: line })}
        />
      ))}
      {range.side === 'old' && <span className="text-muted text-xs">{labels.removed}</span>}
    </>
  )
}

interface LineNumberProps {
  readonly label: string
  readonly line: number
  readonly onChange: (line: number) => void
}

function LineNumber({ label, line, onChange }: LineNumberProps): ReactNode {
  const id = useId()
  return (
    <span className="flex items-center gap-1.5 text-xs">
      <label htmlFor={id}>{label}</label>
      <TextInput
        id={id}
        type="number"
        min={1}
        value={line}
        onChange={({ target: { valueAsNumber } }) => valueAsNumber >= 1 && onChange(Math.floor(valueAsNumber))}
        className="h-7! w-18!"
      />
    </span>
  )
}

/** Focuses the text box, and returns the focus when the form closes with it. A dialog over the form keeps the focus. */
function useReturningFocus() {
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const before = document.activeElement
    if (box.current && mayTakeFocus(box.current)) box.current.focus({ preventScroll: true })
    return () => {
      const mayReturn = before instanceof HTMLElement && before.isConnected && isFocusNowhere() && mayTakeFocus(before)
      if (mayReturn) before.focus({ preventScroll: true })
    }
  }, [])
  return box
}
