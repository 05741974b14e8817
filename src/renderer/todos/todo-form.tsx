import { Plus } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Todo } from '#shared/model/todos/todo.ts'
import { useApp } from '../state/hooks/hooks.tsx'
import { useEdit } from '../state/hooks/use-edit.ts'
import { activeRoot } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { TextArea, TextInput } from '../ui/controls/field.tsx'

const labels = strings.board

interface AddTodoProps {
  readonly label: string
  /** The column that the todo is added to. Its boxes share what is typed, which stays when the person goes elsewhere. */
  readonly to: Todo['status']
  /** Shows the button only once there is a text. */
  readonly quiet?: boolean
  /** Resolves with whether the todo was added. A refused text stays in the box. */
  readonly onAdd: (content: string) => Promise<boolean>
}

/** A box and a button that add a todo. */
export function AddTodo({ label, to, quiet = false, onAdd }: AddTodoProps): ReactNode {
  const threadId = useApp((state) => activeRoot(state)?.id)
  const [edit, setEdit] = useEdit(`todo ${threadId} ${to}`)
  const text = edit?.typed ?? ''
  const typed = useRef(text)
  typed.current = text
  const content = text.trim()
  async function add(event: FormEvent): Promise<void> {
    event.preventDefault()
    // The next todo may be typed before the answer comes.
    if (content !== '' && (await onAdd(content)) && typed.current === text) setEdit(null)
  }
  return (
    <form onSubmit={(event) => void add(event)} className="flex gap-1">
      <TextInput
        aria-label={label}
        placeholder={label}
        maxLength={2000}
        value={text}
        onChange={({ target }) => setEdit(target.value === '' ? null : { before: '', typed: target.value })}
        className="h-7! min-w-0"
      />
      {(!quiet || content !== '') && (
        <Button type="submit" tone="quiet" disabled={content === ''} icon={<Plus size={14} aria-hidden />}>
          {strings.agents.addTodoButton}
        </Button>
      )}
    </form>
  )
}

interface EditTodoProps {
  readonly content: string
  readonly onSave: (content: string) => void
  readonly onCancel: () => void
}

/** The text of a card while it is edited. Leaving the box saves it, so that nothing typed is lost. */
export function EditTodo({ content, onSave, onCancel }: EditTodoProps): ReactNode {
  const [text, setText] = useState(content)
  const field = useRef<HTMLTextAreaElement>(null)
  const closed = useRef(false)
  useEffect(() => {
    const element = field.current
    element?.focus()
    element?.setSelectionRange(element.value.length, element.value.length)
  }, [])
  useEffect(() => {
    const element = field.current
    if (!element) return
    element.style.height = 'auto'
    if (text !== '') element.style.height = `${element.scrollHeight + 2}px`
  }, [text])
  function close(then: () => void): void {
    if (closed.current) return
    closed.current = true
    then()
  }
  return (
    <TextArea
      ref={field}
      rows={1}
      maxLength={2000}
      aria-label={labels.editLabel(content)}
      title={labels.editHint}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => close(() => onSave(text))}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Escape') close(onCancel)
        if (event.key !== 'Enter' || event.shiftKey) return
        event.preventDefault()
        close(() => onSave(text))
      }}
      className="max-h-60 resize-none px-1.5! py-0.5!"
    />
  )
}
