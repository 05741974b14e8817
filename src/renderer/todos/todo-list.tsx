import { CircleCheck, CircleDashed, CircleDot, Plus, X } from 'lucide-react'
import { type FormEvent, memo, type ReactNode, useCallback, useRef, useState } from 'react'
import type { Todo, TodoStatus } from '#shared/model/todo.ts'
import { useApp, useClient, useCommand, useProjectId } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { activeRoot } from '../state/selectors.ts'
import { strings } from '../state/strings.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { TextInput } from '../ui/field.tsx'
import { namedTodos } from './named-todos.ts'

const words = strings.agents

const looks = {
  pending: { Icon: CircleDashed, ink: 'text-muted' },
  in_progress: { Icon: CircleDot, ink: 'text-accent' },
  completed: { Icon: CircleCheck, ink: 'text-good' },
} as const

/** The plan of the root agent; a person may add to it and take from it. */
export function TodoList(): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const thread = useApp(activeRoot)
  const writing = useCommand()
  const [text, setText] = useState('')
  const todos = thread?.todos ?? []

  async function write(next: readonly Todo[]): Promise<boolean> {
    if (!thread) return false
    const plain = next.map(({ content, status }) => ({ content, status }))
    return writing.run(() => client.threads.writeTodos({ projectId, threadId: thread.id, todos: plain }))
  }

  async function add(event: FormEvent): Promise<void> {
    event.preventDefault()
    const content = text.trim()
    if (content !== '' && (await write([...todos, { content, status: 'pending' }]))) setText('')
  }

  const removeNow = useRef<(name: string) => void>(() => undefined)
  removeNow.current = (name) => void write(namedTodos(todos).flatMap((one) => (one.name === name ? [] : [one.todo])))
  const remove = useCallback((name: string) => removeNow.current(name), [])

  return (
    <div className="px-3 pb-2">
      {todos.length === 0 && <p className="pb-2 text-muted">{words.noTodos}</p>}
      <ul>
        {namedTodos(todos).map(({ name, todo }) => (
          <TodoCard key={name} name={name} {...todo} onRemove={remove} />
        ))}
      </ul>
      {writing.refusal && <RefusalNotice refusal={writing.refusal} />}
      {thread && (
        <form onSubmit={(event) => void add(event)} className="mt-1 flex gap-1">
          <TextInput
            aria-label={words.addTodo}
            placeholder={words.addTodo}
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="h-7!"
          />
          <Button
            type="submit"
            tone="quiet"
            disabled={text.trim() === '' || writing.busy}
            icon={<Plus size={14} aria-hidden />}
          >
            {words.addTodoButton}
          </Button>
        </form>
      )}
    </div>
  )
}

interface TodoCardProps {
  readonly name: string
  readonly content: string
  readonly status: TodoStatus
  readonly error?: string
  readonly onRemove: (name: string) => void
}

/** Plans are written whole, and are long at times: cards that say the same are not made again, nor laid out out of sight. */
const TodoCard = memo(function TodoCard({ name, content, status, error, onRemove }: TodoCardProps): ReactNode {
  const { Icon, ink } = looks[status]
  return (
    <li className="group relative flex items-baseline gap-2 py-1 [contain-intrinsic-height:auto_28px] [content-visibility:auto]">
      <Icon size={14} aria-hidden className={`shrink-0 translate-y-[2px] ${ink}`} />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <span className={status === 'completed' ? 'text-muted' : undefined}>{content}</span>
        {error && <span className="block text-bad text-xs">{error}</span>}
      </span>
      <span className={`shrink-0 text-xs ${ink}`}>{words.todoStatus[status]}</span>
      <IconButton
        label={words.removeTodo(content)}
        onClick={() => onRemove(name)}
        className="absolute right-0 top-0.5 size-6! bg-panel opacity-0 focus-visible:opacity-100 group-hover:opacity-100"
      >
        <X size={13} aria-hidden />
      </IconButton>
    </li>
  )
})

export function TodoCount(): ReactNode {
  const todos = useApp(activeRoot)?.todos ?? []
  if (todos.length === 0) return null
  const done = todos.filter((todo) => todo.status === 'completed').length
  return (
    <span className="tabular-nums" title={words.todoProgress(done, todos.length)}>
      {done}/{todos.length}
    </span>
  )
}
