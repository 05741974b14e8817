import { ChevronRight, Ellipsis, Undo2 } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import type { Drift } from '#shared/model/drift.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { AuthorMark } from '../../parts/agents/agent-mark.tsx'
import { copyText } from '../../parts/copy-text.ts'
import { ChangeMark, DriftMark } from '../../parts/marks.tsx'
import { useOpenInEditor } from '../../parts/use-open-in-editor.ts'
import { useClient, useProjectId, useUpdateUi } from '../../state/hooks/hooks.tsx'
import { openFile } from '../../state/store/ui-state.ts'
import { strings } from '../../strings/strings.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { Menu } from '../../ui/controls/menu.tsx'
import { PathText } from '../../ui/controls/path-text.tsx'
import { toastNote, toastProblem } from '../../ui/controls/toast.ts'
import { LineCounts } from '../../ui/diff/diff-parts.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import type { ChangeActions } from '../use-change-actions.ts'
import type { FoldReason } from './fold-reason.ts'

const labels = strings.fileReview

interface FileHeadingProps {
  readonly branchId: BranchId
  readonly change: FileChange
  readonly author: string
  readonly drift: Drift | undefined
  readonly actions: ChangeActions
  readonly reason: FoldReason | null
  readonly folded: boolean
  /** What the file is shown as; null for a file that has only one view. */
  readonly view: 'preview' | 'source' | null
  readonly viewed: boolean
  readonly onView: (path: VirtualPath) => void
  readonly onFold: (path: VirtualPath, folded: boolean) => void
  readonly onViewed: (change: FileChange, viewed: boolean) => void
}

/** The heading of a file in a review. It stays in sight as long as the file does. */
export const FileHeading = memo(function FileHeading(props: FileHeadingProps): ReactNode {
  const { branchId, change, author, drift, actions, reason, folded, view, viewed, onView, onFold, onViewed } = props
  const { path, from, kind } = change
  return (
    <header
      data-heading={path}
      tabIndex={-1}
      className="sticky top-0 z-10 flex h-9 items-center gap-2 border-line border-b bg-panel pr-2 pl-1 shadow-[0_-1px_0_var(--line)]"
    >
      <IconButton
        label={folded ? labels.unfold(path) : labels.fold(path)}
        aria-expanded={!folded}
        className="size-6!"
        onClick={() => onFold(path, !folded)}
      >
        <ChevronRight size={14} aria-hidden className={classNames(!folded && 'rotate-90')} />
      </IconButton>
      <ChangeMark kind={kind} />
      <h3 className={classNames('flex min-w-0 flex-1', viewed && 'text-muted')}>
        <PathText path={from ? `${from} → ${path}` : path} className="flex-1" />
      </h3>
      {reason && reason !== 'large' && <Chip>{labels.reason[reason]}</Chip>}
      {drift && <DriftMark drift={drift} short />}
      {view && !folded && (
        <Button
          tone="quiet"
          className="h-6! px-1.5! text-xs!"
          aria-label={view === 'preview' ? strings.viewers.sourceOf(path) : strings.viewers.previewOf(path)}
          onClick={() => onView(path)}
        >
          {view === 'preview' ? strings.viewers.source : strings.viewers.preview}
        </Button>
      )}
      <LineCounts added={change.added} removed={change.removed} />
      <span className="max-md:hidden">
        <AuthorMark name={author} />
      </span>
      <label className="flex h-6 shrink-0 cursor-pointer items-center gap-1.5 rounded-md px-1.5 text-muted text-xs hover:bg-hover">
        <input
          type="checkbox"
          aria-label={labels.viewedLabel(path)}
          aria-keyshortcuts="v"
          checked={viewed}
          onChange={() => onViewed(change, !viewed)}
          className="size-3.5 accent-accent-solid"
        />
        <span className="max-md:sr-only">{labels.viewed}</span>
      </label>
      <IconButton
        label={strings.changes.revertLabel(path)}
        disabled={actions.command.busy}
        className="size-6! hover:text-bad! focus-visible:text-bad!"
        onClick={() => void actions.revert([path])}
      >
        <Undo2 size={14} aria-hidden />
      </IconButton>
      <FileMenu branchId={branchId} change={change} folded={folded} onFold={onFold} />
    </header>
  )
})

function Chip({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <span className="shrink-0 rounded-sm border border-line-strong px-1 text-2xs text-muted leading-4">{children}</span>
  )
}

type FileMenuProps = Pick<FileHeadingProps, 'branchId' | 'change' | 'folded' | 'onFold'>

function FileMenu({ branchId, change, folded, onFold }: FileMenuProps): ReactNode {
  const { path, kind } = change
  const updateUi = useUpdateUi()
  const copyPatch = useCopyPatch(branchId, change)
  const openInEditor = useOpenInEditor()
  return (
    <Menu
      trigger={
        <IconButton label={labels.more(path)} className="size-6!">
          <Ellipsis size={14} aria-hidden />
        </IconButton>
      }
      choices={[
        { id: 'path', label: labels.copyPath, onSelect: () => copyText(path.slice(1)) },
        { id: 'patch', label: labels.copyPatch, onSelect: () => void copyPatch() },
        {
          id: 'open',
          label: labels.openFile,
          disabled: kind === 'delete',
          ...(kind === 'delete' && { hint: labels.deleted }),
          onSelect: () => updateUi((ui) => openFile(ui, path)),
        },
        {
          id: 'editor',
          label: strings.files.openInEditor,
          disabled: kind === 'delete',
          ...(kind === 'delete' && { hint: labels.deleted }),
          onSelect: () => openInEditor(path),
        },
        { id: 'fold', label: folded ? labels.unfoldOne : labels.foldOne, onSelect: () => onFold(path, !folded) },
      ]}
    />
  )
}

/** Copies the git patch of one file. A rename is a patch of both paths. */
function useCopyPatch(branchId: BranchId, { path, from }: FileChange): () => Promise<void> {
  const client = useClient()
  const projectId = useProjectId()
  return async () => {
    try {
      const { text } = await client.changes.exportPatch({ projectId, branchId, paths: from ? [from, path] : [path] })
      await navigator.clipboard.writeText(text)
      toastNote(strings.common.copied)
    } catch (error) {
      toastProblem(labels.patchNotCopied, error instanceof Error ? error.message : '')
    }
  }
}
