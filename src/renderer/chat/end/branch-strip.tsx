import { GitBranch, GitMerge, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ThreadState } from '#shared/model/thread.ts'
import { CheckMark } from '../../parts/checks/check-mark.tsx'
import { countStates } from '../../parts/checks/check-words.ts'
import { useGreenMerges } from '../../parts/checks/use-green-merges.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useMergeReady } from '../../parts/use-merge-ready.ts'
import { useUpdateUi } from '../../state/hooks/hooks.tsx'
import { useBranchChecks } from '../../state/hooks/use-checks.ts'
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
  const green = useGreenMerges()
  const tally = useBranchTally(thread)
  const { clean, conflicts, overlaps } = tally
  const checks = useBranchChecks(clean)
  const refusal = merging.refusal ?? green.command.refusal
  // Somebody who waits for a decision comes first.
  const running = isRunning(thread)
  if (!isOpen(tally) || clean.length + conflicts + overlaps === 0) return null

  /** The queue is shown beside the branches. */
  async function startGreen(): Promise<void> {
    if (await green.merge(clean)) updateUi((ui) => ({ ...ui, tab: 'branches' }))
  }
  return (
    <section aria-label={labels.strip} className="shrink-0 border-line border-t px-4 py-1.5">
      <div className="mx-auto flex max-w-3xl flex-wrap items-center gap-x-3 gap-y-1">
        <GitBranch size={14} aria-hidden className="shrink-0 text-muted" />
        <span className="min-w-0 tabular-nums">{labels.inStrip(labels.branches(tally))}</span>
        {countStates([...checks.values()].filter(({ state }) => state !== 'none')).map(([state, count]) => (
          <span key={state} className="flex items-center gap-1 text-xs tabular-nums">
            {count}
            <CheckMark state={state} whole />
          </span>
        ))}
        <span className="ml-auto flex flex-wrap justify-end gap-2">
          <Button
            tone={clean.length === 0 && !running ? 'primary' : 'plain'}
            onClick={() => updateUi((ui) => ({ ...ui, tab: 'branches' }))}
          >
            {labels.review}
          </Button>
          {checks.size > 0 && (
            <Button
              icon={<ShieldCheck size={14} aria-hidden />}
              aria-label={strings.checks.merge.manyLabel(clean.length)}
              title={strings.checks.merge.manyHint}
              disabled={green.command.busy || merging.busy}
              onClick={() => void startGreen()}
            >
              {strings.checks.merge.many}
            </Button>
          )}
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
        {refusal && (
          <div className="basis-full">
            <RefusalNotice refusal={refusal} />
          </div>
        )}
      </div>
    </section>
  )
}
