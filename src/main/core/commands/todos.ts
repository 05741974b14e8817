import type { EntryDraft, EntryOf } from '#shared/model/entry.ts'
import type { MessageId, ThreadId } from '#shared/model/ids.ts'
import { noticeIn } from '#shared/model/messages/notice.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { type Todo, writeTodos } from '#shared/model/todos/todo.ts'
import { editTodos, indexOfCard, type TodoEdit } from '#shared/model/todos/todo-edit.ts'
import { steerNoticeEntry } from '../journal/notices.ts'
import { todoNotice } from '../tools/todos.ts'
import { type CommandProject, type Decided, refuse, write } from './command.ts'
import { findActiveThread } from './threads.ts'

/** Replaces the list of a thread. Statuses follow the same rules as for agents. */
export function replaceTodos(project: CommandProject, threadId: ThreadId, todos: readonly Todo[]): Decided {
  const thread = findActiveThread(project.log, threadId)
  if (!thread.ok) return thread
  const written = writeTodos(thread.value.todos, todos)
  if (!written.ok) return refuse('refused', `${written.error} The list was not changed.`)
  return write(entriesFor(project, thread.value, { todos: written.value }))
}

/** Changes one card of the list of a thread. */
export function editTodo(project: CommandProject, threadId: ThreadId, edit: TodoEdit): Decided {
  const thread = findActiveThread(project.log, threadId)
  if (!thread.ok) return thread
  const { todos } = thread.value
  const edited = editTodos(todos, edit)
  if (!edited.ok) return refuse(edited.error.code === 'gone' ? 'not_found' : 'refused', edited.error.message)
  return write(entriesFor(project, thread.value, { todos: edited.value, ...traceOf(todos, edit) }))
}

/** Puts the todo back that a person took away. Its status needs no check, because it had that status before. */
export function restoreTodo(project: CommandProject, entry: EntryOf<'todos.written'>): Decided {
  const thread = findActiveThread(project.log, entry.threadId)
  if (!thread.ok) return thread
  const { removed, sequence } = entry
  if (!removed) return refuse('not_found', 'There is nothing to undo at this point of the history.')
  const later = project.log.entriesAfter(sequence, ['todos.written'])
  if (later.some((other) => other.type === 'todos.written' && other.undoes === sequence))
    return refuse('conflict', 'This todo was already put back.')
  const todos = thread.value.todos.toSpliced(removed.index, 0, removed.todo)
  return write(entriesFor(project, thread.value, { todos, undoes: sequence }))
}

/** How the list came about, for the links of subagents and for the undo. */
function traceOf(todos: readonly Todo[], edit: TodoEdit): Partial<EntryOf<'todos.written'>> {
  if (edit.kind === 'rename') return { renamed: { from: edit.card.content, to: edit.content } }
  if (edit.kind !== 'remove') return {}
  const index = indexOfCard(todos, edit.card)
  const todo = todos[index]
  return todo ? { removed: { todo, index } } : {}
}

/** The new list, and the notice that tells the agent. It replaces a notice that the agent has not read yet. */
function entriesFor(
  { ids }: CommandProject,
  { id: threadId, queue }: ThreadState,
  written: Pick<EntryOf<'todos.written'>, 'todos'> & Partial<EntryOf<'todos.written'>>,
): readonly EntryDraft[] {
  const unread = queue.find((queued) => noticeIn(queued)?.kind === 'todos')
  const notice = steerNoticeEntry(ids.next() as MessageId, todoNotice(written.todos), { kind: 'todos' })
  return [
    { ...written, type: 'todos.written', threadId, by: 'person' },
    { ...notice, threadId, ...(unread && { replaces: unread.messageId }) },
  ]
}
