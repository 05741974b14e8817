import { z } from 'zod'
import { plural } from '../files/file-tool.ts'

/** More tasks than this in one batch count as a mistake. */
export const maxTasks = 10_000

const words = z.string().min(1).exactOptional()

/** A task under the name that an author chose. Other systems say `instructions` or `prompt`. */
export const taskWords = { description: words, instructions: words, prompt: words, task: words }
type TaskWords = { readonly [Name in keyof typeof taskWords]?: string }

/** The text of a task under any of its names; undefined when it has none. */
export function taskText({ description, instructions, prompt, task }: TaskWords): string | undefined {
  return description ?? instructions ?? prompt ?? task
}

export const noTaskText = 'A task needs its text as "description" ("instructions", "prompt" and "task" mean the same).'

/** A task from a model, a script or a command. Without an id its position is used. */
export const declaredTask = z
  .object({
    ...taskWords,
    id: z.string().min(1).max(200).exactOptional(),
    type: z.string().min(1).max(200).exactOptional(),
  })
  .transform((given, context): DeclaredTask => {
    const description = taskText(given)
    if (description === undefined) {
      context.addIssue(noTaskText)
      return z.NEVER
    }
    const { id, type } = given
    return { description, ...(id !== undefined && { id }), ...(type !== undefined && { type }) }
  })

export type DeclaredTask = { readonly description: string; readonly id?: string; readonly type?: string }

/**
 * The tasks of a file with one JSON object per line, or a message that names the first wrong line. Blank lines are
 * skipped.
 */
export function readTasks(bytes: Uint8Array): readonly DeclaredTask[] | string {
  const tasks: DeclaredTask[] = []
  for (const [index, line] of new TextDecoder().decode(bytes).split('\n').entries()) {
    if (line.trim() === '') continue
    const task = parseTask(line)
    if (!task)
      return `line ${index + 1} is not a task: a JSON object with "description", and "id" and "type" if wanted.`
    tasks.push(task)
    if (tasks.length > maxTasks) return `there are more than ${maxTasks} tasks. Split them.`
  }
  return tasks
}

/** Undefined for JSON that is not a task. */
function parseTask(json: string): DeclaredTask | undefined {
  try {
    return declaredTask.safeParse(JSON.parse(json)).data
  } catch {
    return undefined
  }
}

/** What code waits for, as the loop runs it. Undefined when a task is none. */
export function awaitedTasks(awaited: readonly string[]): readonly DeclaredTask[] | undefined {
  const tasks = awaited.map(parseTask).filter((task) => task !== undefined)
  return tasks.length === awaited.length ? tasks : undefined
}

/** The valid tasks that a call declared, and a note about them for its result. Too many tasks count as none. */
export function declaredIn(declared: readonly string[]): {
  readonly tasks: readonly DeclaredTask[]
  readonly note: string
} {
  if (declared.length === 0) return { tasks: [], note: '' }
  if (declared.length > maxTasks)
    return { tasks: [], note: `More than ${maxTasks} tasks were declared, so none of them runs. Declare fewer.` }
  const tasks = declared.map(parseTask).filter((task) => task !== undefined)
  const malformed = declared.length - tasks.length
  const notes = [
    `${plural(tasks.length, 'task')} declared.`,
    malformed > 0 && `${plural(malformed, 'malformed declaration')} left out.`,
  ]
  return { tasks, note: notes.filter(Boolean).join(' ') }
}
