import type { ReactNode } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { ChangedVersions } from '../../parts/viewers/changed-versions.tsx'
import { isShownFirst, viewerKindOf } from '../../parts/viewers/viewer-kind.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { longestLine } from '../../ui/diff/diff-rows.ts'
import { wordsInstead } from '../../ui/diff/file-diff-view.tsx'
import { DriftLead } from './drift-lead.tsx'
import { type FileBodyProps, FileLines } from './file-lines.tsx'
import { changeKey } from './marks/viewed.ts'
import { Measured } from './measured.tsx'
import { useFileDiff } from './use-file-diff.ts'

const labels = strings.fileReview
/** A file with a longer line is minified, or data. */
const longLine = 2000

/** Whether a file is shown by its viewer instead of line by line. The person can choose the other. */
export function isPreviewed({ path, binary }: FileChange, asked: ReadonlySet<string>): boolean {
  const kind = viewerKindOf(path)
  if (kind === null) return false
  return isShownFirst(kind) !== (asked.has(otherView(path)) && !binary)
}

/** Names the choice of the other view of a file: its source, or its preview. */
export function otherView(path: string): string {
  return `${path} other view`
}

/** What is below the heading of a file: notes about the disk, and its changes. */
export function FileBody(props: FileBodyProps): ReactNode {
  const { change, drift, branchId, actions, layout, onResize, reason, asked, onAsk, renderConflict } = props
  const { path } = change
  const setLead = (lead: number): void => {
    if (layout.change(path, { lead })) onResize()
  }
  const box = useBox(props)
  const kind = viewerKindOf(path)
  const isViewed = kind !== null && change.large === undefined && isPreviewed(change, asked)
  return (
    <>
      <Measured onHeight={setLead}>
        {drift && (
          <DriftLead
            key={drift.disk}
            branchId={branchId}
            drift={drift}
            actions={actions}
            renderConflict={renderConflict}
          />
        )}
      </Measured>
      {reason === 'large' && !asked.has(path) ? (
        <Measured onHeight={box}>
          <Question text={labels.largeChange(change)} action={labels.compute} onAsk={() => onAsk(path)} />
        </Measured>
      ) : isViewed ? (
        <Measured onHeight={box}>
          <ChangedVersions branchId={branchId} path={path} kind={kind} version={changeKey(change)} />
        </Measured>
      ) : (
        <LoadedBody {...props} />
      )}
    </>
  )
}

/** Returns a function that makes the body one box of a height. */
function useBox({ layout, change: { path }, onResize }: FileBodyProps): (height: number) => void {
  return (box) => {
    if (layout.change(path, { rows: null, box })) onResize()
  }
}

function LoadedBody(props: FileBodyProps): ReactNode {
  const { branchId, change, store, asked, onAsk } = props
  const [diff, reload] = useFileDiff(branchId, change, store)
  const box = useBox(props)
  if (diff.state === 'failed') {
    return (
      <Measured onHeight={box}>
        <RefusalNotice refusal={diff.refusal} onRetry={reload} />
      </Measured>
    )
  }
  if (!diff.value) return <Outline />
  const { value } = diff
  if (value.hunks.length === 0) {
    return (
      <Measured onHeight={box}>
        {change.binary ? (
          <ChangedVersions branchId={branchId} path={change.path} kind={null} version={changeKey(change)} />
        ) : (
          <p className="px-3 py-4 text-muted">{wordsInstead(value, strings.common)}</p>
        )}
      </Measured>
    )
  }
  const isLong = !asked.has(`${change.path} long`) && longestLine(value.hunks, null) > longLine
  if (isLong) {
    return (
      <Measured onHeight={box}>
        <Question text={labels.longLines} action={labels.showLong} onAsk={() => onAsk(`${change.path} long`)} />
      </Measured>
    )
  }
  return <FileLines {...props} diff={value} />
}

/** Stands for the lines that are being read. It fills the room that they will probably take. */
function Outline(): ReactNode {
  return (
    <p role="status" className="h-full px-3 py-2 text-faint text-xs">
      {strings.common.loading}
    </p>
  )
}

interface QuestionProps {
  readonly text: string
  readonly action: string
  readonly onAsk: () => void
}

function Question({ text, action, onAsk }: QuestionProps): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-3 text-muted">
      <p>{text}</p>
      <Button onClick={onAsk}>{action}</Button>
    </div>
  )
}
