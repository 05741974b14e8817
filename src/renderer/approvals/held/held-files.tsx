import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { FileDiff } from '#shared/contract/views/files.ts'
import type { ChangeKind } from '#shared/model/branch.ts'
import type { Interrupt } from '#shared/model/interrupt.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type HeldFile, type HeldRequest, heldFiles } from '#shared/tools/held-choices.ts'
import { ChangeMark } from '../../parts/marks.tsx'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { effectDetails } from '../../strings/later/effect-details.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { PathText } from '../../ui/controls/path-text.tsx'
import { LineCounts } from '../../ui/diff/diff-parts.tsx'
import { DiffView } from '../../ui/diff/diff-view.tsx'
import { wordsInstead } from '../../ui/diff/file-diff-view.tsx'
import { classNames } from '../../ui/react/class-names.ts'

const labels = effectDetails

/** So many files are listed at first. */
const listedAtFirst = 12
/** A change of so few lines is read at a glance, so it is open. */
const fewLines = 24

interface HeldFilesProps {
  readonly interrupt: Interrupt
  readonly request: HeldRequest
  /** The files that are kept; null while the person does not choose. */
  readonly kept: readonly string[] | null
  readonly onKeep: (kept: readonly string[]) => void
}

/** The files that a held call changed, each with its comparison on demand. */
export function HeldFiles({ interrupt, request, kept, onKeep }: HeldFilesProps): ReactNode {
  const files = heldFiles(request.effects)
  const projectId = useProjectId()
  const { id, threadId } = interrupt
  const [all, setAll] = useState(false)
  const [preview, reload] = useQuery(
    'approvals.preview',
    files.length === 0 ? null : { projectId, threadId, callId: request.callId },
    id,
  )
  if (files.length === 0) return <p className="text-muted">{labels.noFiles}</p>
  const diffs = preview.value?.kind === 'files' ? preview.value.files : []
  const opens = files.length <= 3 && diffs.reduce((sum, { hunks }) => sum + linesOf(hunks), 0) <= fewLines
  const listed = all ? files : files.slice(0, listedAtFirst)
  const toggle = (path: VirtualPath): void =>
    onKeep(kept?.includes(path) ? kept.filter((one) => one !== path) : [...(kept ?? []), path])
  return (
    <section aria-label={labels.files} className="overflow-hidden rounded-md border border-line">
      {preview.state === 'failed' && <RefusalNotice refusal={preview.refusal} onRetry={reload} />}
      <ul className="divide-y divide-line">
        {listed.map((file) => (
          <HeldFileRow
            key={file.path}
            file={file}
            diff={diffs.find(({ path, change }) => path === file.path || change.from === file.path) ?? null}
            loading={preview.state === 'loading'}
            opens={opens}
            chosen={kept?.includes(file.path) ?? null}
            onToggle={() => toggle(file.path)}
          />
        ))}
      </ul>
      {files.length > listed.length && (
        <Button tone="quiet" onClick={() => setAll(true)}>
          {labels.allFiles(files.length)}
        </Button>
      )}
    </section>
  )
}

function linesOf(hunks: FileDiff['hunks']): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length, 0)
}

const kinds = { written: 'modify', deleted: 'delete', renamed: 'rename' } as const satisfies Record<
  HeldFile['kind'],
  ChangeKind
>

interface HeldFileRowProps {
  readonly file: HeldFile
  readonly diff: FileDiff | null
  readonly loading: boolean
  readonly opens: boolean
  /** Null while the person does not choose files. */
  readonly chosen: boolean | null
  readonly onToggle: () => void
}

function HeldFileRow({ file, diff, loading, opens, chosen, onToggle }: HeldFileRowProps): ReactNode {
  const [toggled, setToggled] = useState<boolean | null>(null)
  const open = (toggled ?? opens) && !loading
  const { path, from } = file
  const name = from === null ? path : strings.approvals.renamed(from, path)
  return (
    <li className={classNames(chosen === false && 'opacity-60')}>
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
          <ChangeMark kind={diff?.change.kind ?? kinds[file.kind]} />
        </button>
      </div>
      {open && <Comparison path={path} diff={diff} />}
    </li>
  )
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
