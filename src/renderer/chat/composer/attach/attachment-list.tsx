import { FileBraces, FileText, LoaderCircle, Table2, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { InputCheck } from '#shared/contract/views/threads.ts'
import { formatBytes } from '#shared/text/format.ts'
import type { AttachedFile, AttachedImage } from '../../../state/preferences/attached.ts'
import { strings } from '../../../strings/strings.ts'
import { IconButton } from '../../../ui/controls/button.tsx'
import { VisibleText } from '../../../ui/controls/visible-text.tsx'
import { withKeys } from '../../../ui/react/elements.tsx'
import type { Attachments } from './use-attachments.ts'

const labels = strings.attachments

const icons = { json: FileBraces, csv: Table2, text: FileText, pdf: FileText } as const

function InputIcon({ kind }: { kind: InputCheck['kind'] }): ReactNode {
  const Icon = icons[kind]
  return <Icon size={15} aria-hidden className="shrink-0 text-muted" />
}

/** What goes with the next message, each with a button that takes it off again. */
export function AttachmentList({ attachments }: { attachments: Attachments }): ReactNode {
  const { images, files, reading } = attachments
  if (images.length + files.length + reading.length === 0) return null
  return (
    <ul aria-label={labels.list} className="flex max-h-40 flex-wrap gap-2 overflow-y-auto px-3 pt-1">
      {withKeys(images).map(({ key, item }) => (
        <li
          key={key}
          className="flex h-10 max-w-full items-center gap-2 overflow-hidden rounded-md border border-line bg-panel pr-1"
        >
          <AttachedPicture image={item} onRemove={() => attachments.detachImage(item)} />
        </li>
      ))}
      {files.map((file) => (
        <FileChip key={file.id} file={file} onRemove={() => attachments.detachFile(file.id)} />
      ))}
      {withKeys(reading).map(({ key, item }) => (
        <li key={key} className="flex h-10 items-center gap-1.5 rounded-md border border-line px-2 text-muted">
          <LoaderCircle size={14} aria-hidden className="text-accent motion-safe:animate-spin" />
          <span className="max-w-56 truncate">{labels.reading(item)}</span>
        </li>
      ))}
    </ul>
  )
}

function FileChip({ file, onRemove }: { file: AttachedFile; onRemove: () => void }): ReactNode {
  const { name, kind, about, size } = file
  return (
    <li className="flex h-10 max-w-full items-center gap-2 rounded-md border border-line bg-panel pr-1 pl-2">
      <InputIcon kind={kind} />
      <span className="flex min-w-0 max-w-72 flex-col leading-4">
        <span title={name} className="truncate font-medium text-xs">
          <VisibleText text={name} />
        </span>
        <span title={about} className="truncate text-muted text-xs tabular-nums">
          {labels.kind[kind]} · {formatBytes(size)} · {about}
        </span>
      </span>
      <IconButton label={labels.remove(name)} onClick={onRemove} className="size-6!">
        <X size={13} aria-hidden />
      </IconButton>
    </li>
  )
}

function AttachedPicture({ image, onRemove }: { image: AttachedImage; onRemove: () => void }): ReactNode {
  const { name, size, mediaType, data } = image
  return (
    <>
      <img alt="" src={`data:${mediaType};base64,${data}`} className="h-10 w-12 shrink-0 bg-canvas object-cover" />
      <span className="flex min-w-0 max-w-56 flex-col leading-4">
        <span title={name} className="truncate font-medium text-xs">
          <VisibleText text={name} />
        </span>
        <span className="truncate text-muted text-xs tabular-nums">
          {labels.imageKind} · {formatBytes(size)}
        </span>
      </span>
      <IconButton label={labels.remove(name)} onClick={onRemove} className="size-6!">
        <X size={13} aria-hidden />
      </IconButton>
    </>
  )
}
