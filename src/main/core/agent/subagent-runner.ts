import { isNonEmpty } from '#shared/base/non-empty.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import { answerOf, type ThreadState } from '#shared/model/thread.ts'
import type { Todo, TodoStatus } from '#shared/model/todo.ts'
import { forkDrafts, startedBy } from './fork-subagents.ts'
import { plannedTask } from './planned-task.ts'
import type { AgentServices } from './services.ts'
import { diffOf } from './subagent-diff.ts'
import type { SubagentOutcome, Subagents } from './subagents.ts'

/** `runThread` runs a thread to its end. */
export function createSubagents(
  services: AgentServices,
  runThread: (threadId: ThreadId, signal: AbortSignal) => Promise<void>,
): Subagents {
  const { log } = services
  return {
    get types() {
      return services.extensions.current().agents
    },
    hasForked: (call) => startedBy(log.state, call).length > 0,
    fork(call, tasks) {
      const started = startedBy(log.state, call)
      const parent = log.state.threads.get(call.threadId)
      if (started.length > 0 || !parent || !isNonEmpty(tasks)) return started.map(({ id }) => id)
      const planned = tasks.map((task) => plannedTask(services, parent, task))
      if (!isNonEmpty(planned)) return []
      log.append(forkDrafts({ state: log.state, parent, call, tasks: planned, nextId: () => services.ids.next() }))
      return startedBy(log.state, call).map(({ id }) => id)
    },
    async run(_caller, threadIds, signal) {
      await Promise.all(threadIds.map((id) => runLinked(services, id, () => runThread(id, signal))))
      signal.throwIfAborted()
      return Promise.all(threadIds.map((id) => outcomeOf(services, id)))
    },
  }
}

/** A subagent that ended for good is not run again; its todo follows it either way. */
async function runLinked(services: AgentServices, id: ThreadId, run: () => Promise<void>): Promise<void> {
  const before = threadOf(services, id)
  if (before.end !== null && before.end.status !== 'interrupted') return
  const card = cardOf(services, before)
  moveTodo(services, before, card, 'in_progress')
  await run()
  const { end } = threadOf(services, id)
  if (end?.status === 'done') {
    if (!sharesCard(services, before)) moveTodo(services, before, card, 'completed')
  } else if (end && end.status !== 'interrupted') moveTodo(services, before, card, 'pending', end.message)
}

/** A card that several subagents of one call work on is completed by the last of them. */
function sharesCard({ log }: AgentServices, { id, parent }: ThreadState): boolean {
  if (!parent) return false
  return startedBy(log.state, parent).some(
    (other) => other.id !== id && other.parent?.todoIndex === parent.todoIndex && other.end?.status !== 'done',
  )
}

/** What the linked card says: while the subagent works, the card may move in the list. */
function cardOf(services: AgentServices, { parent, id }: ThreadState): string | undefined {
  return parent?.todoIndex === undefined || parent.todoIndex === null
    ? undefined
    : todosOf(services, id)[parent.todoIndex]?.content
}

function todosOf({ log }: AgentServices, id: ThreadId): readonly Todo[] {
  return log.state.threads.get(rootThreadOf(log.state, id))?.todos ?? []
}

function moveTodo(
  services: AgentServices,
  { parent, id }: ThreadState,
  content: string | undefined,
  status: TodoStatus,
  error?: string,
): void {
  const todos = todosOf(services, id)
  const linked = parent?.todoIndex ?? -1
  const index = todos[linked]?.content === content ? linked : todos.findIndex((todo) => todo.content === content)
  if (content === undefined || index < 0) return
  const moved = { content, status, ...(error !== undefined && { error }) }
  const threadId = rootThreadOf(services.log.state, id)
  services.log.append([{ type: 'todos.written', threadId, todos: todos.with(index, moved), by: 'loop' }])
}

async function outcomeOf(services: AgentServices, id: ThreadId): Promise<SubagentOutcome> {
  const thread = threadOf(services, id)
  if (!thread.parent) throw new Error(`Thread ${id} is no subagent`)
  const { handle, task } = thread.parent
  const done = thread.end?.status === 'done'
  return {
    threadId: id,
    branchId: thread.branchId,
    handle,
    name: thread.agent,
    task,
    result: done ? answerOf(thread) : null,
    error: done ? null : thread.end?.message || 'The subagent did not finish.',
    diff: await diffOf(services, thread),
  }
}

function threadOf({ log }: AgentServices, id: ThreadId): ThreadState {
  const thread = log.state.threads.get(id)
  if (!thread) throw new Error(`No thread ${id}`)
  return thread
}
