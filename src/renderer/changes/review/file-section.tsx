import { memo, type ReactNode } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { viewerKindOf } from '../../parts/viewers/viewer-kind.ts'
import { strings } from '../../strings/strings.ts'
import { FileBody, isPreviewed } from './file-body.tsx'
import { FileHeading } from './file-heading.tsx'
import type { FileBodyProps } from './file-lines.tsx'

interface FileSectionProps extends FileBodyProps {
  /** In pixels, in the list. */
  readonly top: number
  readonly height: number
  /** Grows with each height that changed in the list, so that the file finds its rows in their places. */
  readonly resized: number
  readonly author: string
  readonly folded: boolean
  readonly viewed: boolean
  readonly onView: (path: VirtualPath) => void
  readonly onFold: (path: VirtualPath, folded: boolean) => void
  readonly onMark: (change: FileChange, viewed: boolean) => void
}

/** What the file is shown as; null for a file that has only one view. */
function viewOf({ change, asked }: FileSectionProps): 'preview' | 'source' | null {
  const { path, binary, large } = change
  if (viewerKindOf(path) === null || binary || large !== undefined) return null
  return isPreviewed(change, asked) ? 'preview' : 'source'
}

/**
 * One file of the review: its heading, and below it what changed. While the list scrolls, only the files at the ends of
 * the rendered part are drawn again.
 */
export const FileSection = memo(function FileSection(props: FileSectionProps): ReactNode {
  const { change, top, height, author, folded, viewed, onFold, onMark } = props
  return (
    <section
      aria-label={strings.changes.diffOf(change.path)}
      data-path={change.path}
      className="absolute inset-x-0"
      style={{ top, height }}
    >
      <FileHeading
        branchId={props.branchId}
        change={change}
        author={author}
        drift={props.drift}
        actions={props.actions}
        reason={props.reason}
        folded={folded}
        viewed={viewed}
        view={viewOf(props)}
        onView={props.onView}
        onFold={onFold}
        onViewed={onMark}
      />
      {!folded && <FileBody {...props} />}
    </section>
  )
})
