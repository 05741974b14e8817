import { Rows3 } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { attemptsTool } from '#shared/model/calls/attempts.ts'
import { batchRows } from '#shared/model/derived/batch.ts'
import { useAppSlowly } from '../state/hooks/hooks.tsx'
import { useSavedChoice } from '../state/preferences/use-saved-choice.ts'
import type { BatchKey } from '../state/store/ui-state.ts'
import type { BatchFilter } from '../strings/agents/batches.ts'
import { strings } from '../strings/strings.ts'
import { Empty } from '../ui/controls/notice.tsx'
import { AttemptsScreen } from './attempts-screen.tsx'
import { BatchCharts } from './batch-charts.tsx'
import { countRows, filterRows } from './batch-counts.ts'
import { BatchHeader } from './batch-header.tsx'
import { BatchTable } from './batch-table.tsx'
import { useChangeBatch } from './use-change-batch.ts'

const labels = strings.batches

/** One batch: its progress, its commands and its tasks. */
export function BatchScreen({ batch }: { batch: BatchKey }): ReactNode {
  const { threadId, callId } = batch
  const project = useAppSlowly((state) => state.project)
  const call = project.threads.get(threadId)?.calls.get(callId)
  const rows = useMemo(() => batchRows(project, threadId, callId), [project, threadId, callId])
  const counts = useMemo(() => countRows(rows), [rows])
  const [filter, setFilter] = useState<BatchFilter>('all')
  const shown = useMemo(() => filterRows(rows, filter), [rows, filter])
  const [charts, setCharts] = useSavedChoice('coppice-batch-charts', ['shown', 'hidden'])
  const changing = useChangeBatch(batch)
  if (!call?.batch)
    return <Empty icon={<Rows3 size={24} aria-hidden />} title={labels.gone} detail={labels.goneDetail} />
  if (call.name === attemptsTool) return <AttemptsScreen batch={batch} call={call} rows={rows} />
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <BatchHeader
        batch={batch}
        call={call}
        changing={changing}
        counts={counts}
        filter={filter}
        onFilter={setFilter}
        charts={charts === 'shown'}
        onCharts={(shown) => setCharts(shown ? 'shown' : 'hidden')}
      />
      {charts === 'shown' && (
        <div className="max-h-[40%] shrink-0 overflow-y-auto max-sm:max-h-36">
          <BatchCharts rows={rows} startedAt={call.batch.startedAt} running={call.state.kind !== 'finished'} />
        </div>
      )}
      {shown.length === 0 ? (
        <p className="p-4 text-muted">{labels.noneShown}</p>
      ) : (
        <BatchTable rows={shown} onDrop={(index) => void changing.change({ drop: [index] })} />
      )}
    </div>
  )
}
