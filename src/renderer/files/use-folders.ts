import { useCallback, useEffect, useRef, useState } from 'react'
import type { FilePage } from '#shared/contract/views.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { type Loaded, useApp, useClient, useProjectId } from '../state/hooks.tsx'
import { refusalOf } from '../state/refusal.ts'
import { workspaceOf } from '../state/selectors.ts'
import type { Folders } from './tree-rows.ts'

/**
 * The root and the folders that are open, each read when it is opened and again when the workspace has changed; what was
 * read last is shown meanwhile. The second part reads one again.
 */
export function useFolders(open: ReadonlySet<VirtualPath>): readonly [Folders, (folder: VirtualPath) => void] {
  const client = useClient()
  const projectId = useProjectId()
  const branchId = useApp(workspaceOf)
  const version = useApp((state) => (branchId ? state.timeline.versions.get(branchId) : 0))
  const [folders, setFolders] = useState<Folders>(new Map())
  const asked = useRef(new Map<VirtualPath, string>())
  const request = `${projectId} ${branchId} ${version}`

  const read = useCallback(
    (folder: VirtualPath, asking: string): void => {
      asked.current.set(folder, asking)
      const settle = (loaded: Loaded<FilePage>): void => {
        if (asked.current.get(folder) === asking) setFolders((before) => new Map(before).set(folder, loaded))
      }
      setFolders((before) =>
        new Map(before).set(folder, { state: 'loading', value: before.get(folder)?.value ?? null }),
      )
      client.files.list({ projectId, branchId, path: folder }).then(
        (value) => settle({ state: 'ready', value }),
        (error: unknown) => settle({ state: 'failed', value: null, refusal: refusalOf(error) }),
      )
    },
    [client, projectId, branchId],
  )

  useEffect(() => {
    const wanted = new Set([rootPath, ...open])
    for (const folder of asked.current.keys()) if (!wanted.has(folder)) asked.current.delete(folder)
    for (const folder of wanted) if (asked.current.get(folder) !== request) read(folder, request)
  }, [open, request, read])

  return [folders, useCallback((folder) => read(folder, request), [read, request])]
}
