import type { ReactNode } from 'react'
import type { JsonValue } from '#shared/base/json.ts'
import type { ActionRequest } from '#shared/model/calls/interrupt.ts'
import { editsFiles } from '#shared/tools/card.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { TaskList, tasksIn } from '../../parts/task-list.tsx'
import { CodeText } from '../../ui/code/code-text.tsx'
import { useHighlighter } from '../../ui/code/use-highlighter.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { reachable } from '../../ui/react/elements.tsx'

/** Exactly what runs or ran: the text of commands and code, or the arguments. A change of files says it by its diff. */
export function CallText({ request }: { request: ActionRequest }): ReactNode {
  const { code, effect } = findToolFacts(request.name)
  if (editsFiles(request)) return null
  const text = code && request.args[code.argument]
  const isCode = code !== undefined && typeof text === 'string'
  const tasks = effect === 'agents' ? tasksIn(request.args) : null
  const shown = isCode ? code.argument : tasks ? 'tasks' : null
  return (
    <>
      {isCode && <Exact text={text} language={code.language} />}
      {tasks && <TaskList tasks={tasks} />}
      <Arguments entries={Object.entries(request.args).filter(([name]) => name !== shown)} />
    </>
  )
}

function Exact({ text, language }: { text: string; language: string }): ReactNode {
  const highlighter = useHighlighter({ language })
  return (
    <pre
      {...reachable}
      className="max-h-72 overflow-auto whitespace-pre-wrap rounded-md border border-line bg-panel px-2 py-1.5 font-mono text-xs [overflow-wrap:anywhere]"
    >
      <CodeText text={text} highlighter={highlighter} />
    </pre>
  )
}

export function Arguments({ entries }: { entries: readonly (readonly [string, JsonValue])[] }): ReactNode {
  if (entries.length === 0) return null
  return (
    <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-3 gap-y-1">
      {entries.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 max-h-40 overflow-auto whitespace-pre-wrap font-mono text-xs [overflow-wrap:anywhere]">
            <VisibleText text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
