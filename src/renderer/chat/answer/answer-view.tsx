import { Check, Copy, ListTree, Table2 } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import type { JsonValue } from '#shared/base/json.ts'
import type { MessageId, ThreadId } from '#shared/model/ids.ts'
import { useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { useSavedChoice } from '../../state/preferences/use-saved-choice.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Notice } from '../../ui/controls/notice.tsx'
import { AnswerGrid } from './answer-grid.tsx'
import { tableOf } from './answer-shape.ts'
import { AnswerTree, sizeOf } from './answer-tree.tsx'

const labels = strings.answers

/** A structured answer as a table or a tree. */
export function AnswerView({ value }: { value: JsonValue }): ReactNode {
  const table = useMemo(() => tableOf(value), [value])
  const [choice, choose] = useSavedChoice('coppice-answer-view', ['table', 'tree'])
  const showsTable = table !== null && choice === 'table'
  return (
    <section aria-label={labels.answer} className="my-1 overflow-hidden rounded-lg border border-line">
      <header className="flex min-h-9 flex-wrap items-center gap-1 border-line border-b bg-panel px-2 py-1">
        {table && (
          <fieldset aria-label={labels.view} className="flex gap-1">
            <Button
              tone="quiet"
              aria-pressed={showsTable}
              icon={<Table2 size={14} aria-hidden />}
              onClick={() => choose('table')}
            >
              {labels.table}
            </Button>
            <Button
              tone="quiet"
              aria-pressed={!showsTable}
              icon={<ListTree size={14} aria-hidden />}
              onClick={() => choose('tree')}
            >
              {labels.tree}
            </Button>
          </fieldset>
        )}
        <span className="px-1 text-muted text-xs tabular-nums">
          {table ? [table.field, labels.rows(table.rows.length)].filter(Boolean).join(' · ') : sizeOf(value)}
        </span>
        <CopyJson value={value} />
      </header>
      {showsTable ? <AnswerGrid table={table} /> : <AnswerTree value={value} />}
    </section>
  )
}

function CopyJson({ value }: { value: JsonValue }): ReactNode {
  const [copied, setCopied] = useState(false)
  const Icon = copied ? Check : Copy
  return (
    <Button
      tone="quiet"
      className="ml-auto"
      icon={<Icon size={14} aria-hidden />}
      onBlur={() => setCopied(false)}
      onClick={() =>
        void navigator.clipboard.writeText(JSON.stringify(value, null, 2)).then(
          () => setCopied(true),
          () => setCopied(false),
        )
      }
    >
      {copied ? labels.copied : labels.copy}
    </Button>
  )
}

/** Says why the latest answer does not fit the schema of its thread. The agent was asked once to mend it. */
export function AnswerProblem({ threadId, messageId }: { threadId: ThreadId; messageId: MessageId }): ReactNode {
  const projectId = useProjectId()
  const [check] = useQuery('threads.checkAnswer', { projectId, threadId, messageId })
  const problem = check.value?.problem
  return problem ? <Notice tone="warning" title={labels.problemTitle} detail={problem} /> : null
}
