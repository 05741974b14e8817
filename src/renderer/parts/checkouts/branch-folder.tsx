import { Ellipsis, SquarePen } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import { checkoutStrings as labels } from '../../strings/later/checkouts.ts'
import { IconButton } from '../../ui/controls/button.tsx'
import { Menu } from '../../ui/controls/menu.tsx'
import { RefusalNotice } from '../refusal-notice.tsx'
import { CheckoutDialog } from './checkout-dialog.tsx'
import { useOpenBranch } from './use-checkouts.ts'

interface BranchFolderProps {
  readonly branchId: BranchId
  readonly name: string
}

/** The ways from a branch to a folder of its own. */
export function BranchFolder({ branchId, name }: BranchFolderProps): ReactNode {
  const { open, busy, refusal } = useOpenBranch(branchId)
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <IconButton label={labels.openInEditor} disabled={busy} onClick={() => void open()}>
        <SquarePen size={14} aria-hidden />
      </IconButton>
      <Menu
        trigger={
          <IconButton label={labels.more(name)}>
            <Ellipsis size={14} aria-hidden />
          </IconButton>
        }
        choices={[{ id: 'worktree', label: labels.checkOut, onSelect: () => setAsking(true) }]}
      />
      {refusal && <RefusalNotice refusal={refusal} />}
      {isAsking && <CheckoutDialog branchId={branchId} name={name} onClose={() => setAsking(false)} />}
    </>
  )
}
