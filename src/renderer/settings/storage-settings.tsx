import { Eraser } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { StorageKind, StoragePart, StorageView } from '#shared/contract/views/projects.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import { formatBytes } from '#shared/text/format.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { Empty } from '../ui/controls/notice.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { EnvironmentStorage } from './environment-storage.tsx'

const labels = strings.storage

/** The data that Coppice keeps of the open project on this machine, and what can be freed. */
export function StorageSettings(): ReactNode {
  const projectInfo = useApp((state) => state.projectInfo)
  if (!projectInfo) return <Empty title={labels.noProject} detail={labels.noProjectDetail} />
  return <ProjectStorage projectId={projectInfo.id} />
}

function ProjectStorage({ projectId }: { projectId: ProjectId }): ReactNode {
  const [view, reload] = useQuery('storage.view', { projectId })
  const [cleaning, setCleaning] = useState(false)
  if (view.state === 'failed') return <RefusalNotice refusal={view.refusal} onRetry={reload} />
  if (!view.value) return <p className="text-muted">{strings.common.loading}</p>
  const { folder, parts, environments, setup } = view.value
  const removable = parts.filter((part) => part.removable > 0)
  return (
    <>
      <p className="text-muted">{labels.about}</p>
      <StorageTable {...view.value} />
      <p className="text-muted text-xs [overflow-wrap:anywhere]">
        {labels.folder}: <code>{folder}</code>
      </p>
      <div className="flex items-center gap-3">
        <Button
          icon={<Eraser size={14} aria-hidden />}
          disabled={removable.length === 0}
          onClick={() => setCleaning(true)}
        >
          {labels.cleanUp}
        </Button>
        {removable.length === 0 && <span className="text-muted">{labels.nothingToFree}</span>}
      </div>
      <EnvironmentStorage projectId={projectId} environments={environments} setup={setup} onCleaned={reload} />
      {cleaning && (
        <CleanUpDialog
          projectId={projectId}
          parts={removable}
          onClose={() => setCleaning(false)}
          onCleaned={(freed) => {
            setCleaning(false)
            toastNote(labels.freed(formatBytes(freed)))
            reload()
          }}
        />
      )}
    </>
  )
}

function StorageTable({ parts }: StorageView): ReactNode {
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0)
  return (
    <table className="w-full text-left">
      <thead className="text-muted text-xs">
        <tr>
          <th className="py-1 font-normal">{labels.kind}</th>
          <th className="py-1 pl-3 text-right font-normal">{labels.size}</th>
          <th className="py-1 pl-3 text-right font-normal">{labels.removable}</th>
        </tr>
      </thead>
      <tbody>
        {parts.map((part) => (
          <StorageRow key={part.kind} {...part} />
        ))}
      </tbody>
      <tfoot>
        <tr className="border-line border-t font-medium">
          <th className="py-2">{labels.total}</th>
          <td className="py-2 whitespace-nowrap pl-3 text-right tabular-nums">{formatBytes(total)}</td>
          <td />
        </tr>
      </tfoot>
    </table>
  )
}

function StorageRow({ kind, bytes, removable }: StoragePart): ReactNode {
  const [name, about] = labels.kinds[kind]
  return (
    <tr className="border-line border-t align-top">
      <th className="py-2 font-normal">
        <span className="font-medium">{name}</span>
        <span className="block text-muted text-xs">{about}</span>
      </th>
      <td className="py-2 whitespace-nowrap pl-3 text-right tabular-nums">{formatBytes(bytes)}</td>
      <td className="py-2 whitespace-nowrap pl-3 text-right text-muted tabular-nums">
        {removable > 0 ? labels.upTo(formatBytes(removable)) : labels.nothing}
      </td>
    </tr>
  )
}

interface CleanUpDialogProps {
  readonly projectId: ProjectId
  /** The parts that can be removed. */
  readonly parts: readonly StoragePart[]
  readonly onClose: () => void
  readonly onCleaned: (freed: number) => void
}

/** Says what would be removed and how large it is, then removes it. */
function CleanUpDialog({ projectId, parts, onClose, onCleaned }: CleanUpDialogProps): ReactNode {
  const client = useClient()
  const command = useCommand()
  const [left, setLeft] = useState<ReadonlySet<StorageKind>>(new Set())
  const kinds = parts.flatMap(({ kind }) => (left.has(kind) ? [] : [kind]))
  const toggle = (kind: StorageKind): void => {
    setLeft(new Set(left.has(kind) ? [...left].filter((one) => one !== kind) : [...left, kind]))
  }
  const remove = (): void =>
    void command.run(async () => onCleaned((await client.storage.cleanUp({ projectId, kinds })).freed))
  return (
    <Dialog
      title={labels.cleanUpTitle}
      closeLabel={labels.cancel}
      description={labels.cleanUpAbout}
      onClose={onClose}
      footer={
        <Button tone="danger" disabled={command.busy || kinds.length === 0} onClick={remove}>
          {labels.confirm}
        </Button>
      }
    >
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
      <ul className="flex flex-col">
        {parts.map(({ kind, removable }) => (
          <li key={kind}>
            <label className="flex min-h-8 items-center gap-2">
              <input type="checkbox" checked={!left.has(kind)} onChange={() => toggle(kind)} />
              <span className="flex-1">{labels.kinds[kind][0]}</span>
              <span className="text-muted tabular-nums">{labels.upTo(formatBytes(removable))}</span>
            </label>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
