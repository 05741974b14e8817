import type { ReactNode } from 'react'
import type { CompositionRow, CompositionVersion } from '#shared/contract/views/compositions.ts'
import type { FileChoice } from '#shared/model/compose/composition.ts'
import { composeStrings as labels } from '../../strings/composing/compose.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'

interface WholeVersionsProps {
  readonly row: CompositionRow
  readonly choice: FileChoice | null
  /** By the position of a source. */
  readonly names: readonly string[]
  readonly onTake: (from: number | null) => void
}

/** The versions of a file that can be taken as a whole alone, and why. */
export function WholeVersions({ row, choice, names, onTake }: WholeVersionsProps): ReactNode {
  const taken = choice?.kind === 'whole' ? choice.from : undefined
  return (
    <fieldset aria-label={labels.wholeOf(row.path)} className="rounded-md border border-line p-2">
      <p className="pb-2 text-muted">{labels.whole}</p>
      <ul className="flex flex-col gap-1">
        <li>
          <Button aria-pressed={taken === null} title="0" onClick={() => onTake(null)}>
            {labels.base}
          </Button>
        </li>
        {row.versions.map((version) => (
          <li key={version.source} className="flex flex-wrap items-center gap-2">
            <Button
              aria-pressed={taken === version.source}
              title={String(version.source + 1)}
              onClick={() => onTake(version.source)}
            >
              {labels.take(names[version.source] ?? '')}
            </Button>
            <span className="text-muted text-xs">
              <VisibleText text={versionText(version)} />
            </span>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

function versionText({ state, size, whole, identity }: CompositionVersion): string {
  const what = state === 'absent' ? labels.absent : state === 'symlink' ? `→ ${identity ?? ''}` : labels.bytes(size)
  return whole === null ? what : `${what} · ${labels.reasons[whole]}`
}
