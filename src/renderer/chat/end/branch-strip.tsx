import { GitBranch, GitMerge } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ThreadState } from '#shared/model/thread.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useMergeReady } from '../../parts/use-merge-ready.ts'
import { useUpdateUi } from '../../state/hooks/hooks.tsx'
import { isRunning } from '../../state/store/selectors.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { isOpen } from './branch-tally.ts'
import { useBranchTally } from './use-branch-tally.ts'

const labels = strings.chat.outcomes

/** Above the message box while branches wait: how they stand, and the next sensible thing. */
export function BranchStrip({ thread }: { thread: ThreadState }): ReactNode {
  const updateUi = useUpdateUi()
  const { command: merging, merge } = useMergeReady()
  const tally = useBranchTally(thread)
  const { clean, conflicts, overlaps } = tally
  // Somebody who waits for a decision comes first.
  const running = isRunning(thread)
  if (!isOpen(tally) || clean.length + conflicts + overlaps === 0) return null

  return (
    <section aria-label={labels.strip} className="shrink-0 border-line border-t px-4 py-1.5">
      <div className="mx-auto flex max-w-3xl flex-wrap items-center gap-x-3 gap-y-1">
        <GitBranch size={14} aria-hidden className="shrink-0 text-muted" />
        <span className="min-w-0 tabular-nums">{labels.inStrip(labels.branches(tally))}</span>
        <span className="ml-auto flex gap-2">
          <Button
            tone={clean.length === 0 && !running ? 'primary' : 'plain'}
            onClick={() => updateUi((ui) => ({ ...ui, tab: 'branches' }))}
          >
            {labels.review}
          </Button>
          {clean.length > 0 && (
            <Button
              tone={running ? 'plain' : 'primary'}
              icon={<GitMerge size={14} aria-hidden />}
              disabled={merging.busy}
              onClick={() => void merge(clean)}
            >
              {labels.mergeClean(clean.length)}
            </Button>
          )}
        </span>
        {merging.refusal && (
          <div className="basis-full">
            <RefusalNotice refusal={merging.refusal} />
          </div>
        )}
      </div>
    </section>
  )
}
