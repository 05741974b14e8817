import { type ReactNode, useState } from 'react'
import type { StorageKind, StoragePart } from '#shared/contract/views.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import { useClient, useCommand } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { formatBytes } from '../ui/format.ts'

const labels = strings.storage

export interface CleanUpDialogProps {
  readonly projectId: ProjectId
  /** What can be removed. */
  readonly parts: readonly StoragePart[]
  readonly onClose: () => void
  readonly onCleaned: (freed: number) => void
}

/** Says what would go and how much it is, before anything does. */
export function CleanUpDialog({ projectId, parts, onClose, onCleaned }: CleanUpDialogProps): ReactNode {
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
