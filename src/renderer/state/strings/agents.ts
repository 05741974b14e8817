import type { TodoStatus } from '#shared/model/todo.ts'
import { plural } from './common.ts'

const todoLabels: Record<TodoStatus, string> = {
  pending: 'Pending',
  in_progress: 'In progress',
  completed: 'Completed',
}

export const agentStrings = {
  todoStatus: todoLabels,
  todoProgress: (done: number, all: number) => `${done} of ${all} completed`,
  noTodos: 'The agent lists its plan here when a task has several steps.',
  addTodo: 'Add a todo',
  addTodoButton: 'Add',
  removeTodo: (content: string) => `Remove todo: ${content}`,
  noAgents: 'Subagents appear here while they work on branches of their own.',
  /** Not "Stop …": that is the one button that stops the whole run. */
  stop: (name: string) => `End ${name}`,
  stopAll: (count: number) => `End all ${count}`,
  open: (name: string) => `Open ${name}`,
  review: (name: string) => `Review branch of ${name}`,
  tokens: (count: string) => `${count} tok`,
  waiting: (ahead: number) => `${plural(ahead, 'agent', 'agents')} ahead`,
} as const
