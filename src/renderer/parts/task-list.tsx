import type { ReactNode } from 'react'
import type { JsonObject, JsonValue } from '#shared/base/json.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { reachable, withKeys } from '../ui/react/elements.tsx'
import { AgentMark } from './agents/agent-mark.tsx'

/** One task for a subagent, as a call names it. */
interface NamedTask {
  readonly name: string
  readonly task: string
}

const shown = 200

/** The tasks that a call gives to subagents; null for a call without a list of tasks. */
export function tasksIn({ tasks }: JsonObject): readonly NamedTask[] | null {
  return Array.isArray(tasks) && tasks.length > 0 ? tasks.map((task) => namedTask(task as JsonValue)) : null
}

function namedTask(task: JsonValue): NamedTask {
  if (typeof task === 'string') return { name: '', task }
  if (typeof task !== 'object' || task === null || Array.isArray(task)) return { name: '', task: JSON.stringify(task) }
  const { name, id, task: said, description, instruction } = task as JsonObject
  const text = [said, description, instruction].find((one) => typeof one === 'string')
  const named = [name, id].find((one) => typeof one === 'string')
  return { name: String(named ?? ''), task: String(text ?? JSON.stringify(task)) }
}

/** Names and whole tasks of agents, one below the other. A person approves exactly these texts. */
export function TaskList({ tasks }: { tasks: readonly NamedTask[] }): ReactNode {
  return (
    <>
      <ol
        {...reachable}
        aria-label={strings.chat.tasks}
        className="flex max-h-72 flex-col divide-y divide-line overflow-auto"
      >
        {withKeys(tasks.slice(0, shown)).map(({ key, item: { name, task } }) => (
          <li key={key} className="flex items-start gap-2 py-1">
            {name !== '' && <AgentMark name={name} />}
            {name !== '' && (
              <span className="w-32 shrink-0 truncate font-medium" title={name}>
                <VisibleText text={name} />
              </span>
            )}
            <span className="min-w-0 flex-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
              <VisibleText text={task} />
            </span>
          </li>
        ))}
      </ol>
      {tasks.length > shown && <p className="text-muted text-xs">{strings.chat.moreTasks(tasks.length - shown)}</p>}
    </>
  )
}
