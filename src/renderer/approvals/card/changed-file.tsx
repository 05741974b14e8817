import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { FileDiff } from '#shared/contract/views/files.ts'
import type { ChangeKind } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { ChangedFile } from '#shared/tools/card.ts'
import { ChangeMark } from '../../parts/marks.tsx'
import { cardStrings } from '../../strings/later/card.ts'
import { strings } from '../../strings/strings.ts'
import { PathText } from '../../ui/controls/path-text.tsx'
import { LineCounts } from '../../ui/diff/diff-parts.tsx'
import { DiffView } from '../../ui/diff/diff-view.tsx'
import { wordsInstead } from '../../ui/diff/file-diff-view.tsx'
import { classNames } from '../../ui/react/class-names.ts'

const labels = cardStrings

const kinds = { written: 'modify', deleted: 'delete', renamed: 'rename' } as const satisfies Record<
  ChangedFile['kind'],
  ChangeKind
>

interface ChangedFileRowProps {
  readonly file: ChangedFile
  /** Null while it loads, and for a file beyond the first ones. */
  readonly diff: FileDiff | null
  readonly loading: boolean
  readonly opens: boolean
  /** Null while the person does not choose files. */
  readonly chosen: boolean | null
  readonly onToggle: () => void
}

/** A changed file in one row, with its comparison below on demand. */
export function ChangedFileRow({ file, diff, loading, opens, chosen, onToggle }: ChangedFileRowProps): ReactNode {
  const [toggled, setToggled] = useState<boolean | null>(null)
  const open = (toggled ?? opens) && !loading
  const { path, from } = file
  const name = from === null ? path : labels.renamed(from, path)
  return (
    <li>
      <div className="flex min-h-7 items-center gap-1.5 bg-panel px-2">
        {chosen !== null && (
          <input
            type="checkbox"
            aria-label={labels.choose(path)}
            checked={chosen}
            onChange={onToggle}
            className="size-4 shrink-0 accent-accent-solid"
          />
        )}
        <button
          type="button"
          aria-expanded={open}
          aria-label={labels.showDiff(name)}
          disabled={loading}
          onClick={() => setToggled(!open)}
          className="flex min-h-6 min-w-0 flex-1 items-center gap-1.5 rounded-sm text-left"
        >
          <ChevronRight
            size={13}
            aria-hidden
            className={classNames('shrink-0 text-faint transition-transform duration-100', open && 'rotate-90')}
          />
          <PathText path={name} className="flex-1" />
          {diff && <LineCounts added={diff.change.added} removed={diff.change.removed} />}
          <KindMark kind={diff?.change.kind ?? kinds[file.kind]} />
        </button>
      </div>
      {open && <Comparison path={path} diff={diff} />}
    </li>
  )
}

/** A word for a file that came or went, because a lost file must not look like a changed line. */
function KindMark({ kind }: { kind: ChangeKind }): ReactNode {
  if (kind === 'delete')
    return <span className="rounded-sm bg-bad-soft px-1.5 text-bad text-xs">{labels.deletedFile}</span>
  if (kind === 'create') return <span className="text-good text-xs">{labels.newFile}</span>
  return <ChangeMark kind={kind} />
}

function Comparison({ path, diff }: { path: VirtualPath; diff: FileDiff | null }): ReactNode {
  if (!diff || diff.hunks.length === 0)
    return <p className="px-2 py-1 text-muted text-xs">{diff ? wordsInstead(diff, strings.common) : labels.noDiff}</p>
  return (
    <div className="max-h-80 overflow-auto border-line border-t">
      <DiffView
        label={strings.changes.diffOf(path)}
        path={path}
        hunks={diff.hunks}
        showAllLabel={strings.common.showAll}
      />
    </div>
  )
}
