import { lazy, type ReactNode, Suspense } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { strings } from '../../strings/strings.ts'
import { RefusalNotice } from '../refusal-notice.tsx'
import type { ViewerKind } from './viewer-kind.ts'

const VersionsViewer = lazy(async () => ({ default: (await import('./versions-viewer.tsx')).VersionsViewer }))
const loading = <p className="p-3 text-muted">{strings.common.loading}</p>

interface ChangedVersionsProps {
  readonly branchId: BranchId
  readonly path: VirtualPath
  readonly kind: ViewerKind | null
  /** Changes with the file. */
  readonly version: string
}

/** A changed file before and after, as its kind is best seen. */
export function ChangedVersions({ branchId, path, kind, version }: ChangedVersionsProps): ReactNode {
  const projectId = useProjectId()
  const [versions, reload] = useQuery('changes.versions', { projectId, branchId, path }, version)
  if (versions.state === 'failed') return <RefusalNotice refusal={versions.refusal} onRetry={reload} />
  if (!versions.value) return loading
  return (
    <Suspense fallback={loading}>
      <VersionsViewer path={path} kind={kind} versions={versions.value} />
    </Suspense>
  )
}

interface OpenVersionProps {
  readonly branchId: BranchId | null
  readonly path: VirtualPath
  readonly kind: ViewerKind | null
  readonly version: number
}

/** A file of the workspace, as its kind is best seen. */
export function OpenVersion({ branchId, path, kind, version }: OpenVersionProps): ReactNode {
  const projectId = useProjectId()
  const [file, reload] = useQuery('files.bytes', { projectId, branchId, path }, version)
  if (file.state === 'failed') return <RefusalNotice refusal={file.refusal} onRetry={reload} />
  if (!file.value) return loading
  return (
    <Suspense fallback={loading}>
      <VersionsViewer path={path} kind={kind} versions={{ before: null, after: file.value }} />
    </Suspense>
  )
}
