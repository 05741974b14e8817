import type { Todo, TodoStatus } from '#shared/model/todos/todo.ts'
import type { Tone } from '../screen/spans.ts'
import type { ShownLine } from './shown-line.ts'

const looks: Readonly<Record<TodoStatus, { readonly mark: string; readonly plain: string; readonly tone: Tone }>> = {
  pending: { mark: '☐', plain: '[ ]', tone: 'dim' },
  in_progress: { mark: '◐', plain: '[~]', tone: 'plain' },
  completed: { mark: '☑', plain: '[x]', tone: 'good' },
}

/** The todos that changed since `before`: new ones, and those with another status. */
export function todoLines(
  agent: string,
  before: readonly Todo[],
  after: readonly Todo[],
  hasMarks: boolean,
): readonly ShownLine[] {
  const known = new Map(before.map(({ content, status }) => [content, status]))
  const removed = before.filter(({ content }) => after.every((todo) => todo.content !== content))
  const changed = after.filter(({ content, status }) => known.get(content) !== status)
  return [
    ...changed.map((todo) => todoLine(agent, todo, hasMarks)),
    ...removed.map(({ content }): ShownLine => {
      const mark = hasMarks ? '✕' : '[-]'
      return { agent, line: [{ text: `${mark} ${content}`, tone: 'dim' }], kind: 'text' }
    }),
  ]
}

function todoLine(agent: string, { content, status, error }: Todo, hasMarks: boolean): ShownLine {
  const { mark, plain, tone } = looks[status]
  const why = error === undefined ? [] : [{ text: `  ${error}`, tone: 'bad' as const }]
  return {
    agent,
    line: [
      { text: hasMarks ? mark : plain, tone },
      { text: ` ${content}`, tone: tone === 'good' ? 'dim' : tone },
      ...why,
    ],
    kind: 'text',
  }
}
