import { CornerLeftUp, Folder } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Refusal } from '../state/connection/refusal.ts'
import { useApp } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { Field, TextInput } from '../ui/controls/field.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { RefusalNotice } from './refusal-notice.tsx'

const labels = strings.home

interface FolderDialogProps {
  readonly title: string
  /** The label of the button that takes the folder. */
  readonly action: string
  readonly refusal: Refusal | null
  readonly busy: boolean
  readonly onOpen: (path: string) => void
  readonly onClose: () => void
}

/** Chooses a folder on the host's machine, which a browser's own dialog cannot see. */
export function FolderDialog({ title, action, refusal, busy, onOpen, onClose }: FolderDialogProps): ReactNode {
  const home = useApp((state) => state.info?.homeFolder ?? null)
  const [path, setPath] = useState<string | null>(home)
  /** The text typed into the path field; null shows the path of the listed folder. */
  const [edited, setEdited] = useState<string | null>(null)
  const [page] = useQuery('app.folders', { path })
  const typed = edited ?? (page.state === 'ready' ? page.value.path : (path ?? ''))

  function show(next: string | null): void {
    setEdited(null)
    setPath(next)
  }

  function go(event: FormEvent): void {
    event.preventDefault()
    show(typed)
  }

  return (
    <Dialog
      title={title}
      description={labels.browseDescription}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button tone="primary" disabled={busy || typed === ''} onClick={() => onOpen(typed)}>
            {action}
          </Button>
        </>
      }
    >
      <form onSubmit={go} className="mb-3">
        <Field label={labels.path}>
          {(id) => (
            <div className="flex gap-2">
              <TextInput
                id={id}
                value={typed}
                onChange={(event) => setEdited(event.target.value)}
                className="font-mono"
              />
              <Button type="submit" className="h-8">
                {labels.go}
              </Button>
            </div>
          )}
        </Field>
      </form>
      {refusal && <RefusalNotice refusal={refusal} />}
      {page.state === 'failed' && <RefusalNotice refusal={page.refusal} />}
      {/* It keeps its height while folders are read, so that no button moves away from under a press. */}
      {page.state !== 'failed' && (
        <ul
          aria-label={labels.folders}
          aria-busy={page.state === 'loading'}
          className="mt-2 h-[38vh] overflow-auto rounded-md border border-line"
        >
          {page.value && page.value.parent !== null && (
            <FolderRow
              icon={<CornerLeftUp size={15} aria-hidden />}
              name={labels.parent}
              onClick={() => show(page.value?.parent ?? null)}
            />
          )}
          {page.value?.folders.map((entry) => (
            <FolderRow
              key={entry.path}
              icon={<Folder size={15} aria-hidden />}
              name={entry.name}
              onClick={() => show(entry.path)}
            />
          ))}
          {page.value?.folders.length === 0 && <li className="px-3 py-2 text-muted">{labels.noFolders}</li>}
        </ul>
      )}
    </Dialog>
  )
}

function FolderRow({ icon, name, onClick }: { icon: ReactNode; name: string; onClick: () => void }): ReactNode {
  return (
    <li>
      <button
        type="button"
        onClick={onClick}
        className="flex w-full items-center gap-2 px-3 py-1 text-left hover:bg-hover"
      >
        <span className="text-muted">{icon}</span>
        <VisibleText text={name} />
      </button>
    </li>
  )
}
