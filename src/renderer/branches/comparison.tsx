import { ArrowLeftRight, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { AuthorMark } from '../parts/agents/agent-mark.tsx'
import { FileDiff } from '../parts/file-diff.tsx'
import { ChangeMark } from '../parts/marks.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useProjectId } from '../state/hooks/hooks.tsx'
import { useAuthorNames } from '../state/hooks/use-author-names.ts'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { PathText } from '../ui/controls/path-text.tsx'
import { LineCounts } from '../ui/diff/diff-parts.tsx'
import { classNames } from '../ui/react/class-names.ts'

const labels = strings.branches

/** A branch as it was after an entry. */
interface BranchState {
  readonly branchId: BranchId
  readonly sequence: Sequence
}

export interface ComparedState extends BranchState {
  readonly name: string
}

interface ComparisonProps {
  readonly from: ComparedState
  readonly to: ComparedState
  readonly onSwap: () => void
  readonly onClose: () => void
}

/** Compares two states of any branches. */
export function Comparison({ from, to, onSwap, onClose }: ComparisonProps): ReactNode {
  return (
    <section aria-label={labels.comparison} className="flex min-h-0 flex-1 flex-col">
      <header className="flex min-h-10 flex-wrap items-center gap-2 border-line border-b px-3 py-1">
        <h2 className="min-w-0 flex-1 truncate font-medium">{labels.comparing(from.name, to.name)}</h2>
        <Button icon={<ArrowLeftRight size={14} aria-hidden />} onClick={onSwap}>
          {labels.swap}
        </Button>
        <IconButton label={labels.closeComparison} onClick={onClose}>
          <X size={15} aria-hidden />
        </IconButton>
      </header>
      <ComparedFiles from={stateOf(from)} to={stateOf(to)} same={labels.same} />
    </section>
  )
}

interface ComparedFilesProps {
  readonly from: BranchState
  readonly to: BranchState
  /** What is said when they do not differ. */
  readonly same: string
}

/** The files that differ between two states, and the change of one of them. */
export function ComparedFiles({ from, to, same }: ComparedFilesProps): ReactNode {
  const projectId = useProjectId()
  const [chosen, setChosen] = useState<VirtualPath | null>(null)
  const [fromAuthor, toAuthor] = [useAuthorNames(from.branchId), useAuthorNames(to.branchId)]
  const authorOf = (path: VirtualPath): string => toAuthor(path) || fromAuthor(path)
  const sides = { from, to }
  const key = `${from.branchId} ${from.sequence} ${to.branchId} ${to.sequence}`
  const [files, reload] = useQuery('branches.compare', { projectId, ...sides })
  const shown = files.value?.find(({ path }) => path === chosen) ?? files.value?.[0]
  return (
    <>
      {files.state === 'failed' && <RefusalNotice refusal={files.refusal} onRetry={reload} />}
      {files.state === 'loading' && !files.value && <Waiting label={strings.common.loading} />}
      {files.value?.length === 0 && <p className="p-4 text-muted">{same}</p>}
      {files.value && files.value.length > 0 && (
        <ul className="max-h-40 shrink-0 overflow-auto border-line border-b">
          {files.value.map((file) => (
            <li key={file.path}>
              <FileButton
                file={file}
                author={authorOf(file.path)}
                isShown={file === shown}
                onShow={() => setChosen(file.path)}
              />
            </li>
          ))}
        </ul>
      )}
      {shown && <ComparedFile key={`${key} ${shown.path}`} sides={sides} path={shown.path} />}
    </>
  )
}

interface FileButtonProps {
  readonly file: FileChange
  /** The name of the agent or person who changed the file last, on either side. */
  readonly author: string
  readonly isShown: boolean
  readonly onShow: () => void
}

function FileButton({ file, author, isShown, onShow }: FileButtonProps): ReactNode {
  return (
    <button
      type="button"
      aria-pressed={isShown}
      onClick={onShow}
      className={classNames(
        'flex h-8 w-full items-center gap-2 px-3 text-left font-mono text-xs hover:bg-hover',
        isShown && 'bg-accent-soft',
      )}
    >
      <ChangeMark kind={file.kind} />
      <PathText path={file.path} className="flex-1" />
      <AuthorMark name={author} />
      <LineCounts added={file.added} removed={file.removed} />
    </button>
  )
}

interface ComparedFileProps {
  readonly sides: {
    readonly from: BranchState
    readonly to: BranchState
  }
  readonly path: VirtualPath
}

function ComparedFile({ sides, path }: ComparedFileProps): ReactNode {
  const projectId = useProjectId()
  const [diff, reload] = useQuery('branches.compareFile', { projectId, ...sides, path })
  if (diff.state === 'failed') return <RefusalNotice refusal={diff.refusal} onRetry={reload} />
  if (!diff.value) return <Waiting label={strings.common.loading} />
  return <FileDiff label={labels.diffOf(path)} diff={diff.value} loadAfter={async () => null} />
}

function stateOf({ branchId, sequence }: ComparedState): BranchState {
  return { branchId, sequence }
}
