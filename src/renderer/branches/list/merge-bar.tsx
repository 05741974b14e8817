import { Combine, GitMerge, ShieldCheck, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import { useGreenMerges } from '../../parts/checks/use-green-merges.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useMergeReady } from '../../parts/use-merge-ready.ts'
import { useUpdateUi } from '../../state/hooks/hooks.tsx'
import { showCompose } from '../../state/store/ui-state.ts'
import { composeStrings } from '../../strings/composing/compose.ts'
import { strings } from '../../strings/strings.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { cleanBranches, composableBranches, mergeableBranches, type WorkItem } from './work-list.ts'

const labels = strings.branchList

interface MergeBarProps {
  readonly items: readonly WorkItem[]
  /** Whether merges can wait for the project's checks. */
  readonly hasChecks: boolean
  readonly checked: ReadonlySet<BranchId>
  readonly onClear: () => void
}

/** Merges several branches at once: the chosen ones, or all that need no decision. Absent while there is nothing to do. */
export function MergeBar({ items, hasChecks, checked, onClear }: MergeBarProps): ReactNode {
  const { command, merge } = useMergeReady()
  const green = useGreenMerges()
  const updateUi = useUpdateUi()
  const clean = cleanBranches(items)
  const isChoice = checked.size > 0
  const branches = isChoice ? mergeableBranches(items, checked) : clean
  const refusal = command.refusal ?? green.command.refusal
  const isOffered = isChoice || clean.length > 1
  if (!isOffered && !refusal) return null
  const composed = composableBranches(items, checked)
  const busy = command.busy || green.command.busy || branches.length === 0
  const leftOut = checked.size - branches.length
  const hint = isChoice ? (leftOut > 0 ? labels.notFinished(leftOut) : undefined) : labels.mergeHint
  async function start(begin: (ids: readonly BranchId[]) => Promise<boolean>): Promise<void> {
    if ((await begin(branches)) && isChoice) onClear()
  }
  return (
    <div className="flex flex-wrap items-center gap-2 border-line border-b bg-panel px-2 py-1">
      {isOffered && (
        <Button
          icon={<GitMerge size={14} aria-hidden />}
          disabled={busy}
          title={hint}
          onClick={() => void start(merge)}
        >
          {isChoice ? labels.mergeChosen(branches.length) : labels.mergeClean(branches.length)}
        </Button>
      )}
      {isOffered && hasChecks && (
        <Button
          icon={<ShieldCheck size={14} aria-hidden />}
          disabled={busy}
          aria-label={strings.checks.merge.manyLabel(branches.length)}
          title={strings.checks.merge.manyHint}
          onClick={() => void start(green.merge)}
        >
          {strings.checks.merge.many}
        </Button>
      )}
      {composed && (
        <Button
          icon={<Combine size={14} aria-hidden />}
          title={composeStrings.openHint}
          onClick={() => updateUi((ui) => showCompose(ui, composed))}
        >
          {composeStrings.open}
        </Button>
      )}
      {isChoice && (
        <IconButton label={labels.clear} onClick={onClear}>
          <X size={14} aria-hidden />
        </IconButton>
      )}
      {refusal && <RefusalNotice refusal={refusal} />}
    </div>
  )
}
