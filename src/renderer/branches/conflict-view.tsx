import type { ReactNode } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useClient, useLoaded, useProjectId } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { useAuthorNames } from '../state/use-author-names.ts'
import { Waiting } from '../ui/waiting.tsx'
import { ConflictSidesView } from './conflict-sides.tsx'
import type { BranchActs } from './use-branch-acts.ts'

export interface ConflictViewProps {
  readonly branch: Branch
  readonly path: VirtualPath
  readonly acts: BranchActs
  readonly onDone: () => void
}

/** Base and both sides of one file, and an editable result that starts from one of them. */
export function ConflictView({ branch, path, acts, onDone }: ConflictViewProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const oursBy = useAuthorNames(branch.parentId ?? branch.id)(path)
  const [sides, reload] = useLoaded(`${branch.id} ${path}`, () =>
    client.branches.conflict({ projectId, branchId: branch.id, path }),
  )
  if (sides.state === 'failed') return <RefusalNotice refusal={sides.refusal} onRetry={reload} />
  if (!sides.value) return <Waiting label={strings.common.loading} />
  async function save(text: string): Promise<void> {
    if (await acts.resolve(path, text)) onDone()
  }
  return (
    <ConflictSidesView
      sides={sides.value}
      oursBy={oursBy}
      theirs={branch.name}
      busy={acts.command.busy}
      onSave={save}
    />
  )
}
