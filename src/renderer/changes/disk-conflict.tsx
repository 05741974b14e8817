import type { ReactNode } from 'react'
import type { ConflictSides } from '#shared/contract/views/branches.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import { useAuthorNames } from '../state/hooks/use-author-names.ts'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'

/** Renders the conflict view, which belongs to another region. The app passes it in. */
export type RenderConflict = (props: {
  readonly sides: ConflictSides
  readonly oursBy: string
  readonly theirs: string
  readonly draftKey: string
  readonly busy: boolean
  readonly onSave: (text: string) => Promise<boolean>
}) => ReactNode

interface DiskConflictProps {
  readonly branchId: BranchId
  readonly path: VirtualPath
  readonly renderConflict: RenderConflict
  readonly onDone: () => void
}

/** A file that changed in the workspace and on disk: both sides, and the result that goes into the workspace. */
export function DiskConflict({ branchId, path, renderConflict, onDone }: DiskConflictProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const taking = useCommand()
  const oursBy = useAuthorNames(branchId)(path)
  const [sides, reload] = useQuery('changes.diskConflict', { projectId, branchId, path })
  async function take(text: string): Promise<boolean> {
    const taken = await taking.run(() => client.changes.settleDrift({ projectId, branchId, choices: [{ path, text }] }))
    if (taken) onDone()
    return taken
  }
  if (sides.state === 'failed') return <RefusalNotice refusal={sides.refusal} onRetry={reload} />
  if (!sides.value) return <Waiting label={strings.common.loading} />
  return (
    <>
      {taking.refusal && <RefusalNotice refusal={taking.refusal} />}
      {renderConflict({
        sides: sides.value,
        oursBy,
        theirs: strings.drift.onDisk,
        draftKey: `coppice-conflict ${projectId} ${branchId} disk ${path}`,
        busy: taking.busy,
        onSave: take,
      })}
    </>
  )
}
