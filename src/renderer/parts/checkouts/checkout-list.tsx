import { FolderGit2, FolderOpen } from 'lucide-react'
import type { ReactNode } from 'react'
import type { CheckoutView } from '#shared/contract/views/checkouts.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { checkoutStrings as labels } from '../../strings/later/checkouts.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { RefusalNotice } from '../refusal-notice.tsx'
import { type CheckoutActions, useCheckoutActions, useCheckouts, useOpenBranch } from './use-checkouts.ts'

/** The folders that stand for a branch, and the way back from each. Nothing while there is none. */
export function CheckoutList({ branchId }: { readonly branchId: BranchId }): ReactNode {
  const checkouts = useCheckouts(branchId)
  if (checkouts.length === 0) return null
  return (
    <ul aria-label={labels.list} className="border-line border-b bg-panel">
      {checkouts.map((view) => (
        <CheckoutRow key={view.id} view={view} />
      ))}
    </ul>
  )
}

function CheckoutRow({ view }: { readonly view: CheckoutView }): ReactNode {
  const actions = useCheckoutActions(view)
  const { command, conflicts, refused } = actions
  const isEditor = view.kind === 'editor'
  const Icon = isEditor ? FolderOpen : FolderGit2
  return (
    <li className="flex flex-col gap-1 px-3 py-1">
      <div className="flex flex-wrap items-center gap-2">
        <Icon size={14} aria-hidden className="shrink-0 text-muted" />
        <span className="min-w-0 flex-1 basis-40 [overflow-wrap:anywhere]">
          <VisibleText text={textOf(view)} />
        </span>
        <span className="ml-auto flex flex-wrap gap-2">
          {view.isThere && (isEditor ? <OpenAgain view={view} /> : <TakeBack actions={actions} />)}
          <Button tone="quiet" disabled={command.busy} onClick={() => void actions.close(false)}>
            {isEditor || !view.isThere ? labels.close : labels.remove}
          </Button>
        </span>
      </div>
      {conflicts.length > 0 && <Conflicts actions={actions} isEditor={isEditor} />}
      {refused.map(({ path, why }) => (
        <p key={path} className="text-warn [overflow-wrap:anywhere]">
          <VisibleText text={labels.refused(path, why)} />
        </p>
      ))}
      {command.refusal && (
        <>
          <RefusalNotice refusal={command.refusal} />
          {command.refusal.code === 'CONFLICT' && (
            <Button tone="danger" disabled={command.busy} onClick={() => void actions.close(true)}>
              {labels.removeAnyway}
            </Button>
          )}
        </>
      )}
    </li>
  )
}

function textOf({ kind, folder, gitBranch, isThere }: CheckoutView): string {
  if (!isThere) return labels.gone(folder)
  return kind === 'editor' ? labels.inEditor(folder) : labels.checkedOut(folder, gitBranch)
}

function OpenAgain({ view }: { readonly view: CheckoutView }): ReactNode {
  const { open, busy } = useOpenBranch(view.branchId)
  return (
    <Button tone="quiet" disabled={busy} onClick={() => void open()}>
      {labels.again}
    </Button>
  )
}

function TakeBack({ actions: { command, takeBack } }: { readonly actions: CheckoutActions }): ReactNode {
  return (
    <Button disabled={command.busy} onClick={() => void takeBack()}>
      {labels.takeBack}
    </Button>
  )
}

const shownAtMost = 50

function Conflicts({
  actions,
  isEditor,
}: {
  readonly actions: CheckoutActions
  readonly isEditor: boolean
}): ReactNode {
  const { conflicts, choices, choose, command, takeBack } = actions
  const sides = [
    ['branch', labels.branchVersion, labels.branchVersionOf],
    ['folder', labels.folderVersion, labels.folderVersionOf],
  ] as const
  return (
    <>
      <p className="text-warn">{labels.conflicts}</p>
      <ul className="flex flex-col gap-1">
        {conflicts.slice(0, shownAtMost).map((path: VirtualPath) => (
          <li key={path} className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <VisibleText text={path} />
            </span>
            {sides.map(([side, text, labelOf]) => (
              <Button
                key={side}
                aria-label={labelOf(path)}
                aria-pressed={choices.get(path) === side}
                onClick={() => choose(path, side)}
              >
                {text}
              </Button>
            ))}
          </li>
        ))}
      </ul>
      {isEditor && (
        <span>
          <Button disabled={command.busy || choices.size === 0} onClick={() => void takeBack()}>
            {labels.takeBack}
          </Button>
        </span>
      )}
    </>
  )
}
