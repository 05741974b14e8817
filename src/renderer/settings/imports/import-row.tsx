import { type ReactNode, useId, useState } from 'react'
import type { ImportItem, ImportState } from '#shared/contract/views/imports.ts'
import { importStrings } from '../../strings/later/imports.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { DiffView } from '../../ui/diff/diff-view.tsx'
import { diffTexts } from '../../ui/diff/line-diff.ts'
import { reachable } from '../../ui/react/elements.tsx'
import { isOpen } from './import-choice.ts'

const labels = importStrings

const looks: Readonly<Record<ImportState, string>> = {
  new: 'text-good',
  differs: 'text-warn',
  same: 'text-muted',
  read_here: 'text-muted',
  left_out: 'text-warn',
}

interface ImportRowProps {
  readonly item: ImportItem
  readonly isChosen: boolean
  readonly onChoose: (on: boolean) => void
}

/** One definition: what it is, where it would be, what is lost, and what would be written. */
export function ImportRow({ item, isChosen, onChoose }: ImportRowProps): ReactNode {
  const id = useId()
  const { kind, name, state, notes, preview } = item
  return (
    <li className="flex gap-2 px-3 py-2">
      <span className="w-5 shrink-0 pt-0.5">
        {isOpen(item) && (
          <input
            id={id}
            type="checkbox"
            className="size-4"
            checked={isChosen}
            onChange={({ target }) => onChoose(target.checked)}
          />
        )}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex flex-wrap items-baseline gap-x-2">
          <label htmlFor={isOpen(item) ? id : undefined} className="min-w-0 [overflow-wrap:anywhere]">
            <span className="text-muted">{labels.kind[kind]}</span>{' '}
            <span className="font-medium">
              <VisibleText text={name} />
            </span>
          </label>
          <span className={`ml-auto text-xs ${looks[state]}`}>{labels.state[state]}</span>
        </div>
        <p className="text-muted text-xs [overflow-wrap:anywhere]">
          <VisibleText text={labels.from(item)} />
        </p>
        {notes.map((note) => (
          <p key={note} className={`text-xs [overflow-wrap:anywhere] ${isOpen(item) ? 'text-warn' : 'text-muted'}`}>
            <VisibleText text={note} />
          </p>
        ))}
        {preview !== '' && isOpen(item) && <Preview item={item} />}
      </div>
    </li>
  )
}

/** Drawn once it is open: there may be thousands of texts. */
function Preview({ item }: { readonly item: ImportItem }): ReactNode {
  const [isOpened, setOpened] = useState(false)
  const { before, preview } = item
  return (
    <details onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
      <summary aria-label={labels.preview(item)} className="w-fit cursor-pointer text-accent text-xs">
        {labels.showPreview}
      </summary>
      {isOpened && before === null && (
        <section
          {...reachable}
          aria-label={labels.text(item)}
          className="mt-1 max-h-72 overflow-auto whitespace-pre-wrap rounded bg-panel p-2 font-mono text-xs [overflow-wrap:anywhere]"
        >
          <VisibleText text={preview} />
        </section>
      )}
      {isOpened && before !== null && (
        <DiffView label={labels.change(item)} hunks={diffTexts(before, preview)} showAllLabel={labels.showAll} />
      )}
    </details>
  )
}
