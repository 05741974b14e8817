import type { TodoStatus } from '#shared/model/todos/todo.ts'
import { plural } from '#shared/text/plural.ts'

const statuses: Record<TodoStatus, string> = {
  pending: 'Pending',
  in_progress: 'In progress',
  completed: 'Completed',
}

const longest = 60

function shorten(content: string): string {
  return content.length > longest ? `${content.slice(0, longest - 1)}…` : content
}

/** The plan as columns of cards, in the inspector and as a screen of its own. */
export const boardStrings = {
  title: 'Board',
  open: 'Open the board',
  shownAsBoard: 'The board shows the plan.',
  column: (status: TodoStatus, count: number) => `${statuses[status]}, ${plural(count, 'todo', 'todos')}`,
  emptyColumn: {
    pending: 'Nothing left to start',
    in_progress: 'Nothing in progress',
    completed: 'Nothing completed yet',
  } satisfies Record<TodoStatus, string>,
  emptyTitle: 'No plan yet',
  emptyDetail: 'The agent lists its plan here when a task has several steps. You can also write it yourself.',
  noThreadDetail: 'Describe a task in the chat. Its plan appears here as cards that you and the agent move.',
  describeTask: 'Describe a task',
  addTo: (status: TodoStatus) => `Add a todo to ${statuses[status]}`,
  add: 'Add a todo',
  advance: {
    pending: (content: string) => `Start todo: ${content}`,
    in_progress: (content: string) => `Complete todo: ${content}`,
    completed: (content: string) => `Reopen todo: ${content}`,
  } satisfies Record<TodoStatus, (content: string) => string>,
  advanceShort: { pending: 'Start', in_progress: 'Complete', completed: 'Reopen' } satisfies Record<TodoStatus, string>,
  card: (content: string, status: TodoStatus) => `${content}, ${statuses[status]}`,
  actions: (content: string) => `Actions for todo: ${content}`,
  drag: 'Drag to move',
  edit: 'Edit',
  editLabel: (content: string) => `Text of todo: ${content}`,
  editHint: 'Enter saves, Esc keeps the old text',
  moveTo: (status: TodoStatus) => `Move to ${statuses[status]}`,
  moveUp: 'Move up',
  moveDown: 'Move down',
  remove: 'Remove',
  removed: (content: string) => `Removed the todo “${shorten(content)}”`,
  moved: (content: string, status: TodoStatus, place: number, count: number) =>
    `Moved “${content}” to ${statuses[status]}, ${place} of ${count}`,
  forbidden: (content: string, from: TodoStatus, to: TodoStatus) =>
    `“${shorten(content)}” cannot go from ${statuses[from]} to ${statuses[to]}.`,
  forbiddenStep: (via: TodoStatus) => `Move it to ${statuses[via]} first.`,
  showAgent: (name: string) => `Show the work of ${name}`,
  showBranch: (name: string) => `Show the branch of ${name}`,
  moreAgents: (count: number) => plural(count, 'more agent', 'more agents'),
} as const
