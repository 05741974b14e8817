import { CircleCheck, Copy, Download } from 'lucide-react'
import { type CSSProperties, type ReactNode, useMemo, useState } from 'react'
import { type Components, Virtuoso } from 'react-virtuoso'
import type { PatchExport } from '#shared/contract/views/branches.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { copyText } from '../parts/copy-text.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useApp, useProjectId } from '../state/hooks/hooks.tsx'
import { useAuthorNames } from '../state/hooks/use-author-names.ts'
import { useLeavingChecks } from '../state/hooks/use-checks.ts'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { Notice } from '../ui/controls/notice.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { useMedia } from '../ui/react/observers.ts'
import { saveFile } from '../ui/react/save-file.ts'
import { FileChoice } from './file-choice.tsx'
import { LeavingChecks } from './leaving-checks.tsx'

const labels = strings.changes

interface ExportDialogProps {
  readonly branchId: BranchId
  readonly changes: readonly FileChange[]
  /** The files that are checked at first; null for all. */
  readonly initial: readonly VirtualPath[] | null
  readonly onClose: () => void
}

/** Chooses files, previews the patch, and copies or saves it. */
export function ExportDialog({ branchId, changes, initial, onClose }: ExportDialogProps): ReactNode {
  const projectId = useProjectId()
  const name = useApp((state) => state.projectInfo?.name ?? 'changes')
  const authorOf = useAuthorNames(branchId)
  const [chosen, setChosen] = useState<ReadonlySet<VirtualPath>>(
    () => new Set(initial ?? changes.map(({ path }) => path)),
  )
  const paths = changes.map(({ path }) => path).filter((path) => chosen.has(path))
  const [patch, reload] = useQuery(
    'changes.exportPatch',
    paths.length === 0 ? null : { projectId, branchId, paths: paths.length === changes.length ? null : paths },
  )
  const ready = patch.state === 'ready' ? patch.value : null
  const isWhole = paths.length === changes.length
  const checks = useLeavingChecks(branchId, isWhole ? null : paths)
  const beside = useMedia('(min-width: 768px)')
  return (
    <Dialog
      wide
      title={labels.exportTitle}
      description={labels.exportDescription}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={
        <>
          <Button icon={<Copy size={14} aria-hidden />} disabled={!ready} onClick={() => ready && copyText(ready.text)}>
            {labels.copy}
          </Button>
          <Button
            tone="primary"
            icon={<Download size={14} aria-hidden />}
            disabled={!ready}
            onClick={() => ready && saveFile(`${name}.patch`, bytesOf(ready.base64), 'text/x-patch')}
          >
            {labels.saveAs}
          </Button>
        </>
      }
    >
      <div className="grid gap-4 md:grid-cols-[16rem_minmax(0,1fr)]">
        <FileChoice
          label={labels.chooseFiles}
          height={beside ? '46vh' : '20vh'}
          files={changes.map((change) => ({ ...change, author: authorOf(change.path) }))}
          chosen={chosen}
          onChange={setChosen}
        />
        <div className="flex min-w-0 flex-col gap-2">
          <LeavingChecks checks={checks} isWhole={isWhole} />
          <MovedOnDisk branchId={branchId} paths={chosen} />
          {paths.length === 0 && <Notice tone="info" title={labels.noChanges} />}
          {patch.state === 'failed' && <RefusalNotice refusal={patch.refusal} onRetry={reload} />}
          {patch.state === 'loading' && <Waiting label={labels.makingPatch} />}
          {ready && <Preview patch={ready} />}
        </div>
      </div>
    </Dialog>
  )
}

/** Warns about files that changed on disk since an agent first changed them, because the patch may not fit them. */
function MovedOnDisk({ branchId, paths }: { branchId: BranchId; paths: ReadonlySet<VirtualPath> }): ReactNode {
  const projectId = useProjectId()
  const [drifts] = useQuery('changes.drift', { projectId, branchId })
  const moved = (drifts.value ?? []).filter(({ path, since }) => since === 'changed' && paths.has(path))
  if (moved.length === 0) return null
  const listed = moved.map(({ path, kind }) => `${path}: ${strings.drift.mark[kind]}`).join('\n')
  return <Notice tone="warning" title={labels.patchMayNotFit(moved.length)} detail={listed} />
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

function Preview({ patch }: { patch: PatchExport }): ReactNode {
  return (
    <>
      {patch.verifiedBy.length > 0 ? (
        <p className="flex items-center gap-1.5 text-good">
          <CircleCheck size={14} aria-hidden />
          {labels.verified(patch.verifiedBy.map((by) => labels.verifiers[by]).join(', '))}
        </p>
      ) : (
        <Notice tone="warning" title={labels.notVerified} />
      )}
      {patch.leftOut.length > 0 && (
        <Notice
          tone="warning"
          title={labels.leftOut(patch.leftOut.length)}
          detail={patch.leftOut.map(({ path, why }) => `${path}: ${why}`).join('\n')}
        />
      )}
      {patch.notes.length > 0 && <Notice tone="info" title={labels.patchNotes} detail={patch.notes.join('\n')} />}
      <PatchText label={labels.preview} text={patch.text} />
    </>
  )
}

const rowHeight = 18
/** The most characters of a line that are shown. Copying and saving take the whole line. */
const shownOfLine = 1000

/** The patch that will be saved, in the colours of a diff. Only visible lines are rendered. */
function PatchText({ text, label }: { text: string; label: string }): ReactNode {
  const lines = useMemo(() => text.replace(/\n$/, '').split('\n'), [text])
  const longest = useMemo(() => lines.reduce((most, { length }) => Math.max(most, length), 0), [lines])
  return (
    <Virtuoso
      role="region"
      aria-label={label}
      className="rounded-md border border-line bg-panel font-mono text-xs"
      style={{ height: `min(46vh, ${lines.length * rowHeight + 10}px)` }}
      data={lines}
      context={{ width: `max(100%, ${Math.min(longest, shownOfLine) + 2}ch)` }}
      components={parts}
      fixedItemHeight={rowHeight}
      itemContent={(_, line) => (
        <div className={`h-[18px] whitespace-pre px-2 leading-[18px] ${colourOf(line)}`}>
          <VisibleText text={line.slice(0, shownOfLine)} />
        </div>
      )}
    />
  )
}

const parts: Components<string, CSSProperties> = {
  List: ({ style, context, ref, ...rest }) => <div {...rest} ref={ref ?? null} style={{ ...style, ...context }} />,
}

function colourOf(line: string): string {
  if (line.startsWith('diff --git')) return 'border-line border-t font-semibold'
  if (/^(\+\+\+|---|index|new file|deleted file|similarity|rename|old mode|new mode) /.test(line)) return 'text-faint'
  if (line.startsWith('+')) return 'bg-added'
  if (line.startsWith('-')) return 'bg-removed'
  return line.startsWith('@@') ? 'text-faint' : ''
}
