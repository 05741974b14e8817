import type { ReactNode } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { checkDetails } from '../../strings/later/check-details.ts'
import { ComparedFiles } from '../comparison.tsx'

const labels = checkDetails.red

/** Both sides of a merge: what the branch changed, and what its parent got since the fork. */
export function BothSides({ branch, parent }: { branch: Branch; parent: string }): ReactNode {
  return (
    <>
      <Side title={labels.own(branch.name)} branchId={branch.id} since={branch.forkedAt} />
      {branch.parentId && <Side title={labels.others(parent)} branchId={branch.parentId} since={branch.forkedAt} />}
    </>
  )
}

interface SideProps {
  readonly title: string
  readonly branchId: BranchId
  /** The entry after which the changes count. */
  readonly since: number
}

function Side({ title, branchId, since }: SideProps): ReactNode {
  const latest = useApp(({ timeline }) => timeline.branches.get(branchId)?.at(-1)?.sequence ?? since)
  return (
    <section aria-label={title} className="overflow-hidden rounded-md border border-line">
      <h3 className="border-line border-b bg-panel px-3 py-1 font-semibold text-xs">{title}</h3>
      <div className="flex max-h-80 flex-col">
        <ComparedFiles
          from={{ branchId, sequence: since }}
          to={{ branchId, sequence: Math.max(latest, since) }}
          same={labels.same}
        />
      </div>
    </section>
  )
}
