import { ShieldCheck, X } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import type { GreenQueueView } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { useGreenMerges } from '../../parts/checks/use-green-merges.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useApp } from '../../state/hooks/hooks.tsx'
import { useGreenQueue } from '../../state/hooks/use-checks.ts'
import { checkDetails } from '../../strings/later/check-details.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { useNow } from '../../ui/react/observers.ts'
import { GreenStateMark } from './green-state-mark.tsx'

const labels = checkDetails.queue
const hiddenKey = 'coppice-green-queue-hidden'
const RedMergeDialog = lazy(async () => ({ default: (await import('./red-merge-dialog.tsx')).RedMergeDialog }))

interface QueuePanelProps {
  /** Selects a branch, to review it. */
  readonly onSelect: (id: BranchId) => void
}

/** The merges that wait for green checks: how each stands, and what can be done about it. Nothing without any. */
export function QueuePanel({ onSelect }: QueuePanelProps): ReactNode {
  const queue = useGreenQueue()
  const { command, cancel } = useGreenMerges()
  const [hidden, setHidden] = useState(() => sessionStorage.getItem(hiddenKey))
  const [explained, setExplained] = useState<BranchId | null>(null)
  const isRunning = queue?.isRunning ?? false
  useEffect(() => {
    if (!isRunning) return
    sessionStorage.removeItem(hiddenKey)
    setHidden(null)
  }, [isRunning])
  if (!queue || queue.branches.length === 0) return null
  const name = nameOf(queue)
  if (!isRunning && hidden === name) return null
  const merged = queue.branches.filter(({ state }) => state.kind === 'merged').length
  function hide(): void {
    sessionStorage.setItem(hiddenKey, name)
    setHidden(name)
  }
  const red = queue.branches.find(({ branchId }) => branchId === explained)
  return (
    <section aria-label={labels.title} className="shrink-0 border-line border-b bg-panel">
      <header className="flex min-h-8 items-center gap-2 px-3 py-0.5">
        <ShieldCheck size={14} aria-hidden className="shrink-0 text-muted" />
        <h2 className="font-semibold text-xs">{labels.title}</h2>
        <p role="status" className="min-w-0 flex-1 truncate text-muted text-xs tabular-nums">
          {labels.summary(merged, queue.branches.length)}
        </p>
        {isRunning ? (
          <Button tone="quiet" disabled={command.busy} onClick={() => void cancel(null)}>
            {labels.cancelAll}
          </Button>
        ) : (
          <IconButton label={labels.hide} className="size-6!" onClick={hide}>
            <X size={14} aria-hidden />
          </IconButton>
        )}
      </header>
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
      <ul className="max-h-36 overflow-auto pb-1">
        {queue.branches.map((one) => (
          <QueueRow
            key={one.branchId}
            {...one}
            onCancel={() => void cancel([one.branchId])}
            onExplain={() => setExplained(one.branchId)}
            onSelect={() => onSelect(one.branchId)}
          />
        ))}
      </ul>
      {red?.state.kind === 'red' && (
        <Suspense>
          <RedMergeDialog branchId={red.branchId} state={red.state} onClose={() => setExplained(null)} />
        </Suspense>
      )}
    </section>
  )
}

/** Tells what was hidden from what ended since. */
function nameOf({ branches }: GreenQueueView): string {
  return branches.map(({ branchId, state }) => `${branchId} ${state.kind}`).join()
}

type QueueRowProps = GreenQueueView['branches'][number] & {
  readonly onCancel: () => void
  readonly onExplain: () => void
  readonly onSelect: () => void
}

function QueueRow({ branchId, state, onCancel, onExplain, onSelect }: QueueRowProps): ReactNode {
  const name = useApp(({ project }) => project.branches.get(branchId)?.name ?? branchId)
  const now = useNow(state.kind === 'checking')
  return (
    <li className="flex min-h-7 items-center gap-2 px-3 text-xs">
      <button
        type="button"
        onClick={onSelect}
        title={labels.review}
        className="min-h-6 w-36 shrink-0 truncate text-left hover:underline max-sm:w-24"
      >
        <VisibleText text={name} />
      </button>
      <span className="min-w-0 flex-1">
        <GreenStateMark state={state} now={now} />
      </span>
      {state.kind === 'red' && (
        <Button tone="quiet" className="h-6!" aria-label={labels.detailsOf(name)} onClick={onExplain}>
          {labels.details}
        </Button>
      )}
      {(state.kind === 'queued' || state.kind === 'checking') && (
        <IconButton label={labels.cancelOne(name)} className="size-6!" onClick={onCancel}>
          <X size={13} aria-hidden />
        </IconButton>
      )}
    </li>
  )
}
