import { Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ContextView } from '#shared/contract/views/threads.ts'
import { formatCount, formatPercent } from '#shared/text/format.ts'
import { AgentsChart } from '../parts/agents/agents-chart.tsx'
import { copyText } from '../parts/copy-text.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useAppList, useProjectId } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { activeFamily, activeThread } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import type { ChartTone } from '../ui/chart/chart-frame.tsx'
import { StackedBar } from '../ui/chart/stacked-bar.tsx'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { Empty } from '../ui/controls/notice.tsx'
import { reachable } from '../ui/react/elements.tsx'
import { type ContextSegment, partsWithin, segmentsOf } from './context-segments.ts'
import { UsageTable } from './usage-table.tsx'

const labels = strings.context

/** Shows the next request to the open thread's model: the size of each part, and its exact content. */
export function ContextDialog({ onClose }: { onClose: () => void }): ReactNode {
  const projectId = useProjectId()
  const thread = useApp(activeThread)
  const [context] = useQuery('threads.context', thread && { projectId, threadId: thread.id }, thread?.lastSequence)
  const ready = context.value
  return (
    <Dialog
      wide
      title={labels.title(thread?.agent ?? '')}
      description={labels.description}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={ready && <CopyButton text={ready.request} />}
    >
      {context.state === 'failed' && <RefusalNotice refusal={context.refusal} />}
      {context.state === 'loading' && !ready && <p className="text-muted">{strings.common.loading}</p>}
      {context.state === 'idle' && <Empty title={labels.none} detail={labels.noneDetail} />}
      {ready && <Parts view={ready} />}
      {ready && ready.leftOut.length > 0 && <LeftOut sentences={ready.leftOut} />}
      {ready && <UsageTable />}
      {ready && <FamilyChart />}
      {ready && (
        <section aria-label={labels.request}>
          <h3 className="mt-4 mb-1 font-semibold">{labels.request}</h3>
          <pre
            {...reachable}
            className="max-h-[40vh] overflow-auto rounded-md border border-line bg-panel p-2 font-mono text-xs"
          >
            {ready.request}
          </pre>
        </section>
      )}
    </Dialog>
  )
}

function LeftOut({ sentences }: { sentences: readonly string[] }): ReactNode {
  return (
    <section aria-label={labels.leftOut}>
      <h3 className="mt-4 mb-1 font-semibold">{labels.leftOut}</h3>
      <ul className="list-disc pl-5 text-muted">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  )
}

/** Shown once an agent has subagents: alone, it has nothing to compare with. */
function FamilyChart(): ReactNode {
  const family = useAppList(activeFamily)
  if (family.length < 2) return null
  const ends = family.map(({ end }) => end?.at ?? null)
  const endedAt = ends.some((at) => at === null) ? null : Math.max(...ends.filter((at) => at !== null))
  return (
    <div className="mt-4">
      <AgentsChart threads={family.map(({ id }) => id)} endedAt={endedAt} />
    </div>
  )
}

function CopyButton({ text }: { text: string }): ReactNode {
  return (
    <Button icon={<Copy size={14} aria-hidden />} onClick={() => copyText(text)}>
      {labels.copy}
    </Button>
  )
}

function Parts({ view }: { view: ContextView }): ReactNode {
  const estimated = view.parts.reduce((sum, { tokens }) => sum + tokens, 0)
  const total = view.counted ?? estimated
  const parts = partsWithin(view.parts, total)
  const segments = segmentsOf(parts, view.contextWindow)
  return (
    <section aria-label={labels.window} className="flex flex-col gap-1">
      <p className="text-muted tabular-nums">
        {labels.total(formatCount(total), formatCount(view.contextWindow), formatPercent(total / view.contextWindow))}
        {view.counted === null && ` ${labels.estimated}`}
      </p>
      <StackedBar
        whole={view.contextWindow}
        segments={segments.map(({ kind, tokens }) => ({
          label: labels.segment[kind],
          value: tokens,
          text: formatCount(tokens),
          tone: tones[kind],
        }))}
      />
      <table className="mt-2 w-full">
        <caption className="sr-only">{labels.parts}</caption>
        <tbody>
          {parts.map(({ part, tokens }) => (
            <tr key={part} className="border-line not-last:border-b">
              <th scope="row" className="py-0.5 text-left font-normal">
                {labels.part[part]}
              </th>
              <td className="w-24 text-right tabular-nums">{formatCount(tokens)}</td>
              <td className="w-16 text-right text-muted tabular-nums">{shareOf(tokens, view.contextWindow)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** A small share is not nothing. */
function shareOf(tokens: number, whole: number): string {
  const share = tokens / whole
  return share > 0 && share < 0.01 ? labels.underOne : formatPercent(share)
}

const tones: Readonly<Record<ContextSegment, ChartTone>> = {
  system: 'first',
  tools: 'second',
  memory: 'third',
  messages: 'fourth',
  results: 'fifth',
  free: 'none',
}
