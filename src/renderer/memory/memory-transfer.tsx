import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { MemoryTransfer, TransferRow } from '#shared/contract/views/threads.ts'
import { FolderDialog } from '../parts/folder-dialog.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useApp, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { PathText } from '../ui/controls/path-text.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { classNames } from '../ui/react/class-names.ts'

const labels = strings.memory.transfer

export type TransferKind = 'import' | 'export'

/** Imports or exports memories: chooses a folder, shows what would happen, then does it. */
export function MemoryTransferDialog({ kind, onClose }: { kind: TransferKind; onClose: () => void }): ReactNode {
  const [folder, setFolder] = useState<string | null>(null)
  if (folder === null) return <ChooseFolder kind={kind} onChoose={setFolder} onClose={onClose} />
  return <Plan kind={kind} folder={folder} onClose={onClose} />
}

interface ChooseFolderProps {
  readonly kind: TransferKind
  readonly onChoose: (folder: string) => void
  readonly onClose: () => void
}

function ChooseFolder({ kind, onChoose, onClose }: ChooseFolderProps): ReactNode {
  const client = useClient()
  const native = useApp((state) => state.info?.canPickFolder ?? false)
  const picking = useCommand()
  const asked = useRef(false)
  useEffect(() => {
    if (!native || asked.current) return
    asked.current = true
    void picking.run(async () => {
      const path = await client.app.pickFolder()
      if (path) onChoose(path)
      else onClose()
    })
  })
  if (native) return picking.refusal && <RefusalNotice refusal={picking.refusal} />
  return (
    <FolderDialog
      title={kind === 'import' ? labels.chooseImport : labels.chooseExport}
      action={labels.chooseAction}
      refusal={null}
      busy={false}
      onOpen={onChoose}
      onClose={onClose}
    />
  )
}

function Plan({ kind, folder, onClose }: { kind: TransferKind; folder: string; onClose: () => void }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const doing = useCommand()
  const [plan, reload] = useQuery(kind === 'import' ? 'memory.planImport' : 'memory.planExport', { projectId, folder })
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set())
  const files = plan.value?.files ?? []
  const names = namesToTake(files, left, taken)
  async function go({ fingerprint }: MemoryTransfer): Promise<void> {
    const input = { projectId, folder, names: [...names], fingerprint }
    const done = await doing.run(() => (kind === 'import' ? client.memory.import(input) : client.memory.export(input)))
    if (!done) return reload()
    toastNote(kind === 'import' ? labels.imported(names.length) : labels.exported(names.length))
    onClose()
  }
  function toggle({ name, state }: TransferRow, on: boolean): void {
    const set = state === 'new' ? setLeft : setTaken
    set((before) => withName(before, name, state === 'new' ? !on : on))
  }
  return (
    <Dialog
      title={kind === 'import' ? labels.importTitle : labels.exportTitle}
      description={kind === 'import' ? labels.from(folder) : labels.to(folder)}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button
            tone="primary"
            disabled={doing.busy || names.length === 0}
            onClick={() => plan.value && void go(plan.value)}
          >
            {kind === 'import' ? labels.doImport(names.length) : labels.doExport(names.length)}
          </Button>
        </>
      }
    >
      {doing.refusal && <RefusalNotice refusal={doing.refusal} />}
      {plan.state === 'failed' && <RefusalNotice refusal={plan.refusal} onRetry={reload} />}
      {plan.state === 'loading' && !plan.value && <Waiting label={strings.common.loading} />}
      {plan.value && files.length === 0 && <p className="text-muted">{labels.empty[kind]}</p>}
      <ul>
        {files.map((row) => (
          <PlanRow
            key={row.name}
            row={row}
            kind={kind}
            checked={names.includes(row.name)}
            onChange={(on) => toggle(row, on)}
          />
        ))}
      </ul>
    </Dialog>
  )
}

/**
 * The names to transfer. A new file is included unless the person left it out; a file that replaces another only if
 * the person chose it.
 */
function namesToTake(
  files: readonly TransferRow[],
  left: ReadonlySet<string>,
  taken: ReadonlySet<string>,
): readonly string[] {
  return files
    .filter(({ name, state }) => (state === 'new' ? !left.has(name) : state === 'changed' && taken.has(name)))
    .map(({ name }) => name)
}

function withName(names: ReadonlySet<string>, name: string, on: boolean): ReadonlySet<string> {
  const next = new Set(names)
  if (on) next.add(name)
  else next.delete(name)
  return next
}

interface PlanRowProps {
  readonly row: TransferRow
  readonly kind: TransferKind
  readonly checked: boolean
  readonly onChange: (on: boolean) => void
}

const colours = { new: 'text-good', changed: 'text-warn', same: 'text-muted', refused: 'text-bad' } as const

function PlanRow({ row: { name, state, why }, kind, checked, onChange }: PlanRowProps): ReactNode {
  const isOpen = state === 'new' || state === 'changed'
  const note = state === 'changed' ? labels.replaces[kind] : why
  return (
    <li className="border-line py-1 not-last:border-b">
      <label className={classNames('flex min-h-7 items-center gap-2', isOpen && 'cursor-pointer')}>
        <input
          type="checkbox"
          aria-label={name}
          checked={checked}
          disabled={!isOpen}
          onChange={(event) => onChange(event.target.checked)}
          className="size-4 shrink-0 accent-accent-solid"
        />
        <PathText path={name} className="flex-1" />
        <span className={classNames('shrink-0 text-xs', colours[state])}>{labels.states[state]}</span>
      </label>
      {note && <p className="pl-6 text-muted text-xs [overflow-wrap:anywhere]">{note}</p>}
    </li>
  )
}
