import { Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ContextPart, ContextView } from '#shared/contract/views/threads.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useProjectId } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { activeThread } from '../state/store/selectors.ts'
import { formatCount, formatPercent } from '../strings/format.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { Empty } from '../ui/controls/notice.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { reachable } from '../ui/react/elements.tsx'
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
      {ready && <UsageTable />}
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

function CopyButton({ text }: { text: string }): ReactNode {
  const copy = (): void => void navigator.clipboard.writeText(text).then(() => toastNote(strings.common.copied))
  return (
    <Button icon={<Copy size={14} aria-hidden />} onClick={copy}>
      {labels.copy}
    </Button>
  )
}

function Parts({ view }: { view: ContextView }): ReactNode {
  const total = view.counted ?? view.parts.reduce((sum, { tokens }) => sum + tokens, 0)
  return (
    <>
      <p className="mb-2 text-muted tabular-nums">
        {labels.total(formatCount(total), formatCount(view.contextWindow), formatPercent(total / view.contextWindow))}
        {view.counted === null && ` ${labels.estimated}`}
      </p>
      <table className="w-full">
        <caption className="sr-only">{labels.parts}</caption>
        <tbody>
          {sumParts(view.parts).map(({ part, tokens }) => (
            <tr key={part} className="border-line not-last:border-b">
              <th scope="row" className="py-1 text-left font-normal">
                {labels.part[part]}
              </th>
              <td className="w-1/2 px-2">
                <div aria-hidden className="h-1.5 rounded-full bg-hover">
                  <div
                    className="h-full rounded-full bg-accent"
                    style={{ width: formatPercent(share(tokens, view)) }}
                  />
                </div>
              </td>
              <td className="w-24 text-right tabular-nums">{formatCount(tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function share(tokens: number, { parts }: ContextView): number {
  return tokens / Math.max(...sumParts(parts).map((part) => part.tokens), 1)
}

function sumParts(parts: readonly ContextPart[]): readonly ContextPart[] {
  const sums = new Map<ContextPart['part'], number>()
  for (const { part, tokens } of parts) sums.set(part, (sums.get(part) ?? 0) + tokens)
  return [...sums].map(([part, tokens]) => ({ part, tokens }))
}
