import type { ThreadState } from '#shared/model/thread.ts'
import type { Todo } from '#shared/model/todo.ts'
import { tokensOf } from '#shared/model/usage.ts'
import { isRunning } from '../state/store/selectors.ts'

interface AgentLine {
  /** The last tool it called; empty before its first call. */
  readonly lastTool: string
  /** Milliseconds from its start until now, or until its end. */
  readonly elapsed: number
  readonly tokens: number
}

export function describeAgent(thread: ThreadState, now: number): AgentLine {
  const started = thread.runStartedAt ?? thread.createdAt
  const end = isRunning(thread) ? now : thread.updatedAt
  return {
    lastTool: [...thread.calls.values()].at(-1)?.name ?? '',
    elapsed: Math.max(end - started, 0),
    tokens: tokensOf(thread.usage),
  }
}

/** At most `most` agents, in their order. Running agents go first, then the earliest of the others. */
export function limitAgents(agents: readonly ThreadState[], most: number): readonly ThreadState[] {
  if (agents.length <= most) return agents
  const ended = agents.filter((thread) => !isRunning(thread))
  const running = agents.length - ended.length
  const left = new Set(ended.slice(Math.max(most - running, 0)))
  return agents.filter((thread) => !left.has(thread)).slice(0, most)
}

export interface NamedTodo {
  /** Stays the same when cards before it come and go. */
  readonly name: string
  readonly todo: Todo
}

/** Gives each todo a key. Todos have no id, so the key is the text, and a number for equal texts. */
export function keyTodos(todos: readonly Todo[]): readonly NamedTodo[] {
  const seen = new Map<string, number>()
  return todos.map((todo) => {
    const before = seen.get(todo.content) ?? 0
    seen.set(todo.content, before + 1)
    return { name: `${before} ${todo.content}`, todo }
  })
}
