import type { ReactNode } from 'react'
import type { BranchFile } from '#shared/contract/views.ts'
import type { Branch } from '#shared/model/branch.ts'
import { useApp, useClient, useLoaded, useProjectId } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { FileDiffView } from '../ui/file-diff-view.tsx'

/** The branch's version of one file against its parent's. */
export function FileReview({ branch, file }: { branch: Branch; file: BranchFile }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const version = useApp((state) => state.timeline.versions.get(branch.id) ?? 0)
  const [diff, reload] = useLoaded(`${branch.id} ${file.path} ${version}`, () =>
    client.branches.diff({ projectId, branchId: branch.id, path: file.path }),
  )
  if (diff.state === 'failed') return <RefusalNotice refusal={diff.refusal} onRetry={reload} />
  if (!diff.value) return <p className="p-3 text-muted">{strings.common.loading}</p>
  return <FileDiffView label={strings.branches.diffOf(file.path)} diff={diff.value} words={strings.common} />
}
