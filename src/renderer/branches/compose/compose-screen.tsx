import { ShieldCheck, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useDeferredValue, useRef, useState } from 'react'
import type { CompositionSource } from '#shared/contract/views/compositions.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { CheckMark } from '../../parts/checks/check-mark.tsx'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import type { ComposedBranches } from '../../state/store/ui-state.ts'
import { composeStrings as labels } from '../../strings/composing/compose.ts'
import { strings } from '../../strings/strings.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { ComposeFile } from './compose-file.tsx'
import { FileRows } from './file-rows.tsx'
import { type OpenComposition, useComposition } from './use-composition.ts'

interface ComposeScreenProps {
  readonly composed: ComposedBranches
  readonly onClose: () => void
}

/** Chooses from several branches, file by file and hunk by hunk, beside the live result. */
export function ComposeScreen({ composed, onClose }: ComposeScreenProps): ReactNode {
  const composition = useComposition(composed, onClose)
  const { view, rows, draft } = composition
  const [path, setPath] = useState<VirtualPath | null>(null)
  const shown = rows.find((row) => row.path === path) ?? rows[0]
  // Arrow keys go through the rows at once; the file that is reached is drawn when there is time for it.
  const drawn = useDeferredValue(shown)
  const names = view.value?.sources.map(nameOf) ?? []
  const box = useRef<HTMLElement>(null)
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    onClose()
  }
  return (
    <section
      ref={box}
      aria-label={labels.open}
      onKeyDown={onKeyDown}
      className="@container flex min-h-0 flex-1 flex-col"
    >
      <ComposeHeader composition={composition} names={names} onClose={onClose} />
      {view.state === 'failed' && <RefusalNotice refusal={view.refusal} onRetry={composition.reload} />}
      {composition.command.refusal && <RefusalNotice refusal={composition.command.refusal} />}
      {view.state === 'loading' && !view.value && <Waiting label={strings.common.loading} />}
      {view.value && rows.length === 0 && <p className="p-4 text-muted">{labels.none}</p>}
      {shown && (
        <div className="grid min-h-0 flex-1 @2xl:grid-cols-[16rem_minmax(0,1fr)] @2xl:grid-rows-1 grid-rows-[minmax(4rem,10rem)_minmax(0,1fr)]">
          <div className="flex min-h-0 flex-col border-line @2xl:border-r border-b @2xl:border-b-0">
            <FileRows rows={rows} draft={draft} shown={shown.path} onShow={setPath} />
          </div>
          {drawn && (
            <ComposeFile key={drawn.path} composed={composed} composition={composition} row={drawn} names={names} />
          )}
        </div>
      )}
    </section>
  )
}

interface ComposeHeaderProps {
  readonly composition: OpenComposition
  readonly names: readonly string[]
  readonly onClose: () => void
}

function ComposeHeader({ composition, names, onClose }: ComposeHeaderProps): ReactNode {
  const { undecided, isDecided, isChecked, checks, command } = composition
  const into = names.at(-1) ?? ''
  const hint = isDecided ? labels.storeHint(into) : labels.decideFirst
  return (
    <header className="flex min-h-10 flex-wrap items-center gap-2 border-line border-b px-3 py-1">
      <h2 className="min-w-0 flex-1 basis-48 truncate font-medium" title={labels.keys}>
        {labels.title(names.slice(0, -1).join(', '), into)}
      </h2>
      <p role="status" className="tabular-nums text-muted">
        {labels.undecidedCount(undecided)}
      </p>
      {checks && (
        <span role="status" aria-label={labels.checks}>
          <CheckMark state={checks.state} />
        </span>
      )}
      <Button
        icon={<ShieldCheck size={14} aria-hidden />}
        disabled={command.busy || !isChecked}
        title={isDecided ? (isChecked ? undefined : labels.noChecks) : labels.decideFirst}
        onClick={() => void composition.runChecks()}
      >
        {labels.runChecks}
      </Button>
      <Button
        tone="primary"
        disabled={command.busy || !isDecided}
        title={hint}
        onClick={() => void composition.store(into)}
      >
        {labels.store}
      </Button>
      <IconButton label={labels.close} keys="Esc" onClick={onClose}>
        <X size={15} aria-hidden />
      </IconButton>
    </header>
  )
}

/** Branches of one name are told apart by the handle. */
function nameOf({ name, sequence }: CompositionSource): string {
  return sequence === null ? name : `${name}@${sequence}`
}
