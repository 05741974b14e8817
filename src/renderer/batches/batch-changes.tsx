import { SlidersHorizontal } from 'lucide-react'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type { BatchChange, BatchStart } from '#shared/model/calls/call.ts'
import { costLimitOf } from '#shared/model/derived/batch.ts'
import { formatMoney, formatTime } from '#shared/text/format.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Field, TextArea, TextInput } from '../ui/controls/field.tsx'
import type { BatchCounts } from './batch-counts.ts'
import type { ChangeBatch } from './use-change-batch.ts'

const labels = strings.batches.changes

interface BatchChangesProps {
  readonly start: BatchStart
  readonly counts: BatchCounts
  readonly running: boolean
  readonly changing: ChangeBatch
}

/** What a person may change while a batch runs, and what they have changed. */
export function BatchChanges({ start, counts, running, changing }: BatchChangesProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const form = useId()
  const { refusal } = changing.command
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-xs">
        {running && (
          <Button
            tone="quiet"
            icon={<SlidersHorizontal size={14} aria-hidden />}
            aria-expanded={isOpen}
            aria-controls={form}
            onClick={() => setOpen(!isOpen)}
          >
            {labels.change}
          </Button>
        )}
        {running && <Spent start={start} counts={counts} />}
        <History changes={start.changes ?? []} />
      </div>
      <div id={form} hidden={!(running && isOpen)}>
        {running && isOpen && <Forms start={start} counts={counts} changing={changing} />}
      </div>
      {refusal && <RefusalNotice refusal={refusal} />}
    </div>
  )
}

/** Says why nothing more starts. */
function Spent({ start, counts }: Pick<BatchChangesProps, 'start' | 'counts'>): ReactNode {
  const [settings] = useQuery('settings.get', undefined)
  const limits = [costLimitOf(start) ?? null, settings.value?.budgets.batch ?? null].filter((one) => one !== null)
  const limit = limits.length === 0 ? null : Math.min(...limits)
  const isSpent = limit !== null && counts.cost !== null && counts.cost >= limit && counts.queued > 0
  return <span role="status">{isSpent && labels.spent(formatMoney(counts.cost), formatMoney(limit))}</span>
}

function History({ changes }: { changes: readonly BatchChange[] }): ReactNode {
  if (changes.length === 0) return null
  return (
    <ul aria-label={labels.history} className="flex max-h-20 min-w-0 flex-wrap gap-x-3 overflow-y-auto tabular-nums">
      {changes.map((change) => (
        <li key={change.sequence}>{labels.changed(formatTime(change.at), wordsOf(change))}</li>
      ))}
    </ul>
  )
}

function wordsOf({ concurrency, cost, add = [], drop = [] }: BatchChange): readonly string[] {
  return [
    concurrency === undefined ? '' : labels.changedWidth(concurrency),
    cost === undefined ? '' : cost === null ? labels.changedNoCost : labels.changedCost(formatMoney(cost)),
    add.length === 0 ? '' : labels.changedAdded(add.length),
    drop.length === 0 ? '' : labels.changedDropped(drop.length),
  ].filter(Boolean)
}

function Forms({ start, counts, changing }: Omit<BatchChangesProps, 'running'>): ReactNode {
  const { command, change } = changing
  const [width, setWidth] = useState(String(start.concurrency))
  const [cost, setCost] = useState(String(costLimitOf(start) ?? ''))
  const [tasks, setTasks] = useState('')
  const lines = tasks
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const submit = (act: () => Promise<unknown>) => (event: FormEvent) => {
    event.preventDefault()
    void act()
  }
  const set = (
    <Button type="submit" disabled={command.busy} className="mb-0.5">
      {labels.set}
    </Button>
  )
  return (
    <div className="flex flex-wrap items-start gap-4 text-sm">
      <form className="flex items-end gap-1" onSubmit={submit(() => change({ concurrency: Number(width) }))}>
        <Field label={labels.width}>
          {(id) => (
            <TextInput
              {...{ id, type: 'number', min: 1, max: 100, required: true, className: 'w-20', value: width }}
              onChange={(event) => setWidth(event.target.value)}
            />
          )}
        </Field>
        {set}
      </form>
      <form
        className="flex items-end gap-1"
        onSubmit={submit(() => change({ cost: cost.trim() === '' ? null : Number(cost) }))}
      >
        <Field label={labels.cost}>
          {(id) => (
            <TextInput
              {...{ id, type: 'number', min: 0, step: 'any', className: 'w-28', value: cost }}
              placeholder={labels.noCost}
              onChange={(event) => setCost(event.target.value)}
            />
          )}
        </Field>
        {set}
      </form>
      <form
        className="flex min-w-60 flex-1 items-end gap-1"
        onSubmit={submit(async () => (await change({ add: lines })) && setTasks(''))}
      >
        <div className="flex-1">
          <Field label={labels.more}>
            {(id) => <TextArea id={id} rows={2} value={tasks} onChange={(event) => setTasks(event.target.value)} />}
          </Field>
        </div>
        <Button type="submit" disabled={command.busy || lines.length === 0} className="mb-0.5">
          {labels.add(lines.length)}
        </Button>
      </form>
      <Button
        tone="danger"
        className="self-end"
        disabled={command.busy || counts.queued === 0}
        onClick={() => void change({ drop: 'queued' })}
      >
        {labels.dropAll(counts.queued)}
      </Button>
    </div>
  )
}
