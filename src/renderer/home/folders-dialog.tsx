import { FolderPlus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ProjectFolder, ProjectFolders, ProjectInfo } from '#shared/contract/views/projects.ts'
import { FolderDialog } from '../parts/folder-dialog.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useApp, useCommand, useSession } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { Select } from '../ui/controls/field.tsx'
import { PathText } from '../ui/controls/path-text.tsx'

const labels = strings.projectFolders

/** The folders of the project: its own, those that branches change with it, and those that are only read. */
export function FoldersDialog({ onClose }: { onClose: () => void }): ReactNode {
  const projectInfo = useApp((state) => state.projectInfo)
  return projectInfo && <FoldersOf projectInfo={projectInfo} onClose={onClose} />
}

interface FoldersOfProps {
  readonly projectInfo: ProjectInfo
  readonly onClose: () => void
}

type Access = ProjectFolder['access']

function FoldersOf({ projectInfo, onClose }: FoldersOfProps): ReactNode {
  const { client, queries } = useSession()
  const { id: projectId, name } = projectInfo
  const [page, reload] = useQuery('projects.folders', { projectId })
  const [adding, setAdding] = useState<Access | null>(null)
  const changing = useCommand()
  const change = async (action: () => Promise<unknown>): Promise<void> => {
    if (!(await changing.run(action))) return
    setAdding(null)
    reload()
    queries.reloadAll(['files.list'])
  }
  const add = (path: string, access: Access, wanted: string | null = null) =>
    change(() => client.projects.addFolder({ projectId, path, name: wanted, access }))
  if (adding !== null)
    return (
      <FolderDialog
        title={labels.addTitle[adding]}
        action={labels.addThis}
        refusal={changing.refusal}
        busy={changing.busy}
        onOpen={(path) => void add(path, adding)}
        onClose={() => {
          changing.clear()
          setAdding(null)
        }}
      />
    )
  return (
    <Dialog
      title={labels.title(name)}
      description={labels.description}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={
        <>
          <Button icon={<FolderPlus size={14} aria-hidden />} onClick={() => setAdding('read')}>
            {labels.addRead}
          </Button>
          <Button tone="primary" icon={<FolderPlus size={14} aria-hidden />} onClick={() => setAdding('write')}>
            {labels.addWrite}
          </Button>
        </>
      }
    >
      {changing.refusal && <RefusalNotice refusal={changing.refusal} />}
      {page.state === 'failed' && <RefusalNotice refusal={page.refusal} />}
      {page.state === 'loading' && <Skeleton />}
      {page.value && (
        <>
          <FolderRows
            folders={page.value.folders}
            busy={changing.busy}
            onRemove={(path) => void change(() => client.projects.removeFolder({ projectId, path }))}
          />
          <ProposedRows
            proposed={page.value.proposed}
            busy={changing.busy}
            onAdd={(one) => void add(one.path, one.access, one.name)}
          />
        </>
      )}
    </Dialog>
  )
}

interface FolderRowsProps {
  readonly folders: ProjectFolders['folders']
  readonly busy: boolean
  readonly onRemove: (path: string) => void
}

function FolderRows({ folders, busy, onRemove }: FolderRowsProps): ReactNode {
  return (
    <ul aria-label={labels.list} className="divide-y divide-line rounded-md border border-line">
      {folders.map((folder) => (
        <li key={folder.root} className="flex min-h-9 items-center gap-3 px-3 py-1.5">
          <span className="w-28 shrink-0 truncate font-mono" title={folder.root}>
            {folder.root}
          </span>
          <span className="min-w-0 flex-1">
            <PathText path={folder.path} className="text-muted" />
          </span>
          <span className={folder.isGone ? 'shrink-0 text-danger' : 'shrink-0 text-muted'}>
            {folder.isGone ? labels.gone : labels.access[folder.access]}
          </span>
          {folder.isRemovable && (
            <Button disabled={busy} onClick={() => onRemove(folder.path)}>
              {labels.remove}
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

interface ProposedRowsProps {
  readonly proposed: ProjectFolders['proposed']
  readonly busy: boolean
  readonly onAdd: (one: ProjectFolders['proposed'][number]) => void
}

/** Folders that the settings of the project ask for. */
function ProposedRows({ proposed, busy, onAdd }: ProposedRowsProps): ReactNode {
  const [chosen, setChosen] = useState<Readonly<Record<string, Access>>>({})
  if (proposed.length === 0) return null
  return (
    <section className="mt-4">
      <h3 className="mb-1 font-medium">{labels.proposed}</h3>
      <ul className="divide-y divide-line rounded-md border border-line">
        {proposed.map((one) => (
          <li key={one.path} className="flex min-h-9 items-center gap-3 px-3 py-1.5">
            <span className="min-w-0 flex-1">
              <PathText path={one.path} />
            </span>
            <div className="w-44 shrink-0">
              <Select
                aria-label={labels.accessOf(one.name)}
                value={chosen[one.path] ?? one.access}
                onChange={(event) => setChosen({ ...chosen, [one.path]: event.target.value as Access })}
                className="h-7"
              >
                {(['read', 'write'] as const).map((access) => (
                  <option key={access} value={access}>
                    {labels.access[access]}
                  </option>
                ))}
              </Select>
            </div>
            <Button disabled={busy} onClick={() => onAdd({ ...one, access: chosen[one.path] ?? one.access })}>
              {labels.add}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
