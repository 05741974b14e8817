import { GitMerge, MessageSquare, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { GreenMergeState } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { CheckMark } from '../../parts/checks/check-mark.tsx'
import { CheckResultView } from '../../parts/checks/check-result.tsx'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useMergeReady } from '../../parts/use-merge-ready.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { checkDetails } from '../../strings/later/check-details.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { Notice } from '../../ui/controls/notice.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { useBranchActions } from '../use-branch-actions.ts'
import { BothSides } from './both-sides.tsx'
import { useAskToFix } from './use-ask-to-fix.ts'

const labels = checkDetails.red

export type RedMerge = Extract<GreenMergeState, { kind: 'red' }>

interface RedMergeDialogProps {
  readonly branchId: BranchId
  readonly state: RedMerge
  readonly onClose: () => void
}

/** Why a merge was not made: the output of the checks that failed on it, both sides of it, and what to do next. */
export function RedMergeDialog({ branchId, ...rest }: RedMergeDialogProps): ReactNode {
  const branch = useApp(({ project }) => project.branches.get(branchId))
  return branch ? <Explained branch={branch} {...rest} /> : null
}

interface ExplainedProps extends Omit<RedMergeDialogProps, 'branchId'> {
  readonly branch: Branch
}

function Explained({ branch, state, onClose }: ExplainedProps): ReactNode {
  const parent = useApp(({ project }) => {
    const found = branch.parentId && project.branches.get(branch.parentId)
    return found && found.parentId !== null ? found.name : labels.workspace
  })
  return (
    <Dialog
      wide
      title={labels.title(branch.name)}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={<Actions branch={branch} state={state} parent={parent} onClose={onClose} />}
    >
      <div className="flex flex-col gap-4">
        <Notice
          tone="warning"
          title={state.greenAlone ? labels.semantic : labels.plain}
          detail={state.greenAlone ? labels.semanticDetail(branch.name, parent) : labels.plainDetail}
        />
        {state.failed.map((result) => (
          <section key={result.check} aria-label={result.check} className="flex flex-col gap-1">
            <h3 className="flex items-center gap-2 font-semibold">
              <VisibleText text={result.check} />
              <CheckMark state={result.outcome} />
            </h3>
            <CheckResultView result={result} at={null} />
          </section>
        ))}
        <BothSides branch={branch} parent={parent} />
      </div>
    </Dialog>
  )
}

interface ActionsProps extends ExplainedProps {
  readonly parent: string
}

function Actions({ branch, state, parent, onClose }: ActionsProps): ReactNode {
  const actions = useBranchActions(branch)
  const merging = useMergeReady()
  const asking = useAskToFix(branch, parent)
  const commands = [actions.command, merging.command, asking.command]
  const busy = commands.some((command) => command.busy)
  const refusal = commands.find((command) => command.refusal)?.refusal
  const isOpen = branch.status === 'open'
  async function finish(act: Promise<boolean>): Promise<void> {
    if (await act) onClose()
  }
  return (
    <>
      {refusal && (
        <div className="min-w-0 basis-full">
          <RefusalNotice refusal={refusal} />
        </div>
      )}
      <Button
        tone="danger"
        className="mr-auto"
        icon={<Trash2 size={14} aria-hidden />}
        disabled={busy || !isOpen}
        onClick={() => void actions.discard(null).then(onClose)}
      >
        {labels.discard}
      </Button>
      <Button
        icon={<GitMerge size={14} aria-hidden />}
        disabled={busy || !isOpen}
        onClick={() => void finish(merging.merge([branch.id]))}
      >
        {labels.anyway}
      </Button>
      <Button
        tone="primary"
        icon={<MessageSquare size={14} aria-hidden />}
        disabled={busy || !isOpen}
        onClick={() => void finish(asking.ask(state.failed))}
      >
        {labels.ask}
      </Button>
    </>
  )
}
