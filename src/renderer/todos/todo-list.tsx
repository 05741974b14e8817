import { CircleCheck, CircleDashed, CircleDot, Plus, X } from 'lucide-react'
import { type FormEvent, memo, type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import { type Components, Virtuoso } from 'react-virtuoso'
import type { Todo, TodoStatus } from '#shared/model/todo.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import { activeRoot } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { TextInput } from '../ui/controls/field.tsx'
import { AriaElement } from '../ui/react/elements.tsx'
import { keyTodos, type NamedTodo } from './progress.ts'

const labels = strings.agents

const looks = {
  pending: { Icon: CircleDashed, colour: 'text-muted' },
  in_progress: { Icon: CircleDot, colour: 'text-accent' },
  completed: { Icon: CircleCheck, colour: 'text-good' },
} as const

const parts: Components<NamedTodo> = {
  List: ({ ref, ...props }) => <AriaElement {...props} ref={ref ?? null} role="list" />,
  Item: ({ item: _item, ...props }) => <AriaElement {...props} role="listitem" />,
}

/** The plan of the root agent, which a person may edit. Only visible cards are rendered, because plans can be long. */
export function TodoList(): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const thread = useApp(activeRoot)
  const writing = useCommand()
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const todos = thread?.todos ?? none
  const named = useMemo(() => keyTodos(todos), [todos])

  async function write(next: readonly Todo[]): Promise<boolean> {
    if (!thread) return false
    const plain = next.map(({ content, status }) => ({ content, status }))
    return writing.run(() => client.threads.writeTodos({ projectId, threadId: thread.id, todos: plain }))
  }

  const removeNow = useRef<(name: string) => void>(() => undefined)
  removeNow.current = (name) => void write(named.flatMap((one) => (one.name === name ? [] : [one.todo])))
  const remove = useCallback((name: string) => removeNow.current(name), [])

  return (
    <AriaElement
      role="presentation"
      ref={(box) => setScroller(box?.closest<HTMLElement>('[data-region]') ?? null)}
      className="px-3 pb-2"
    >
      {todos.length === 0 && <p className="pb-2 text-muted">{labels.noTodos}</p>}
      {scroller && todos.length > 0 && (
        <Virtuoso
          customScrollParent={scroller}
          data={named}
          components={parts}
          computeItemKey={(_, { name }) => name}
          increaseViewportBy={200}
          itemContent={(_, { name, todo }) => <TodoCard name={name} {...todo} onRemove={remove} />}
        />
      )}
      {writing.refusal && <RefusalNotice refusal={writing.refusal} />}
      {thread && <AddTodo busy={writing.busy} onAdd={(content) => write([...todos, { content, status: 'pending' }])} />}
    </AriaElement>
  )
}

const none: readonly Todo[] = []

interface AddTodoProps {
  readonly busy: boolean
  readonly onAdd: (content: string) => Promise<boolean>
}

function AddTodo({ busy, onAdd }: AddTodoProps): ReactNode {
  const [text, setText] = useState('')
  const content = text.trim()
  async function add(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (content !== '' && (await onAdd(content))) setText('')
  }
  return (
    <form onSubmit={(event) => void add(event)} className="mt-1 flex gap-1">
      <TextInput
        aria-label={labels.addTodo}
        placeholder={labels.addTodo}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-7!"
      />
      <Button type="submit" tone="quiet" disabled={content === '' || busy} icon={<Plus size={14} aria-hidden />}>
        {labels.addTodoButton}
      </Button>
    </form>
  )
}

interface TodoCardProps {
  readonly name: string
  readonly content: string
  readonly status: TodoStatus
  readonly error?: string
  readonly onRemove: (name: string) => void
}

/** Memoized, because agents write the whole plan each time and equal cards need not render again. */
const TodoCard = memo(function TodoCard({ name, content, status, error, onRemove }: TodoCardProps): ReactNode {
  const { Icon, colour } = looks[status]
  return (
    <div className="group relative flex items-baseline gap-2 py-1">
      <Icon size={14} aria-hidden className={`shrink-0 translate-y-[2px] ${colour}`} />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <span className={status === 'completed' ? 'text-muted' : undefined}>{content}</span>
        {error && <span className="block text-bad text-xs">{error}</span>}
      </span>
      <span className={`shrink-0 text-xs ${colour}`}>{labels.todoStatus[status]}</span>
      <IconButton
        label={labels.removeTodo(content)}
        onClick={() => onRemove(name)}
        className="absolute right-0 top-0.5 size-6! bg-panel opacity-0 focus-visible:opacity-100 group-hover:opacity-100"
      >
        <X size={13} aria-hidden />
      </IconButton>
    </div>
  )
})

export function TodoCount(): ReactNode {
  const todos = useApp(activeRoot)?.todos ?? []
  if (todos.length === 0) return null
  const done = todos.filter((todo) => todo.status === 'completed').length
  return (
    <span className="tabular-nums" title={labels.todoProgress(done, todos.length)}>
      {done}/{todos.length}
    </span>
  )
}
