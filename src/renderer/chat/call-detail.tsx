import { type ReactNode, useState } from 'react'
import type { JsonValue } from '#shared/base/json.ts'
import { type Call, resultOf } from '#shared/model/calls/call.ts'
import { textOf, type UserPart } from '#shared/model/message.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { Markdown } from '../parts/markdown/markdown.tsx'
import { TaskList, tasksIn } from '../parts/task-list.tsx'
import { strings } from '../strings/strings.ts'
import { CodeText } from '../ui/code/code-text.tsx'
import { useHighlighter } from '../ui/code/use-highlighter.ts'
import { Button } from '../ui/controls/button.tsx'
import { reachable, withKeys } from '../ui/react/elements.tsx'
import { AskedAndAnswered } from './asked-and-answered.tsx'

const labels = strings.chat
const shownAtFirst = 4000

/** The arguments of a call and its output, unchanged. */
export function CallDetail({ call, output }: { call: Call; output: string | null }): ReactNode {
  const { code, effect, isPlan, isQuestion } = findToolFacts(call.name)
  const { plan } = isPlan ? call.input : {}
  const tasks = effect === 'agents' ? tasksIn(call.input) : null
  const result = resultOf(call)
  if (isQuestion && result?.outcome === 'ok')
    return (
      <div className="mb-2 ml-6 flex flex-col gap-3 rounded-md border border-line bg-panel p-2">
        <AskedAndAnswered args={call.input} answer={textOf(result.content)} />
      </div>
    )
  return (
    <div className="mb-2 ml-6 flex flex-col gap-2 rounded-md border border-line bg-panel p-2">
      {tasks && <TaskList tasks={tasks} />}
      {typeof plan === 'string' && <Markdown text={plan} />}
      <dl className="flex flex-col gap-1">
        {Object.entries(call.input).map(([name, value]) =>
          (tasks && name === 'tasks') || (name === 'plan' && value === plan) ? null : (
            <div key={name}>
              <dt className="text-muted text-xs">{name}</dt>
              <dd>
                <LongText text={printValue(value)} language={code?.argument === name ? code.language : null} />
              </dd>
            </div>
          ),
        )}
      </dl>
      <div>
        <p className="text-muted text-xs">{labels.output}</p>
        {result ? (
          withKeys(result.content).map(({ key, item }) => <Part key={key} part={item} />)
        ) : (
          <LongText text={output ?? labels.noOutput} />
        )}
      </div>
    </div>
  )
}

function printValue(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

function Part({ part }: { part: UserPart }): ReactNode {
  if (part.type === 'text') return <LongText text={part.text || labels.noOutput} />
  return <img alt={labels.image} src={`data:${part.mediaType};base64,${part.data}`} className="max-h-80 max-w-full" />
}

function LongText({ text, language = null }: { text: string; language?: string | null }): ReactNode {
  const highlighter = useHighlighter(language === null ? null : { language })
  const [length, setLength] = useState(shownAtFirst)
  return (
    <>
      <pre
        {...reachable}
        className="max-h-96 overflow-auto whitespace-pre-wrap font-mono text-xs [overflow-wrap:anywhere]"
      >
        <CodeText text={text.slice(0, length)} highlighter={highlighter} />
      </pre>
      {text.length > length && (
        <Button tone="quiet" onClick={() => setLength(length * 10)}>
          {labels.showMore}
        </Button>
      )}
    </>
  )
}
