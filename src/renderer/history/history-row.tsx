import {
  Ban,
  FileMinus,
  GitBranchPlus,
  HardDriveDownload,
  History,
  ListX,
  type LucideIcon,
  MessageSquareX,
  NotebookPen,
  Replace,
  Trash2,
  Undo2,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { rootThreadOf } from '#shared/model/project-state.ts'
import { versionAt } from '#shared/model/snapshots.ts'
import { formatDate } from '#shared/text/format.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import type { HistoryItem } from '../state/store/history.ts'
import { showRewind, showThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { classNames } from '../ui/react/class-names.ts'
import { describeItem, undoFor } from './history-item.ts'

const labels = strings.history

const icons: Readonly<Record<HistoryItem['kind'], LucideIcon>> = {
  discard: Trash2,
  force: Replace,
  revert: FileMinus,
  apply: HardDriveDownload,
  undo_apply: HardDriveDownload,
  deliver: GitBranchPlus,
  rewind: History,
  delete_thread: MessageSquareX,
  delete_memory: NotebookPen,
  delete_user_memory: NotebookPen,
  reject: Ban,
  remove_todo: ListX,
}

const namedPaths = 4

/** One item: what was done, by whom, when, and its undo. */
export function HistoryRow({ item }: { item: HistoryItem }): ReactNode {
  const project = useApp((state) => state.project)
  const Icon = icons[item.kind]
  const what = describeItem(item, project)
  const paths = 'paths' in item ? item.paths : []
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 px-3 py-2">
      <Icon size={15} aria-hidden className="mt-0.5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1 basis-52 [overflow-wrap:anywhere]">
        <p className={classNames('font-medium', item.undone && 'text-muted line-through')}>
          <VisibleText text={what} />
        </p>
        {paths.length > 0 && (
          <p className="font-mono text-muted text-xs">
            <VisibleText text={paths.slice(0, namedPaths).join('  ')} />
            {paths.length > namedPaths && ` +${paths.length - namedPaths}`}
          </p>
        )}
        <p className="text-muted text-xs">
          {item.agent ?? labels.you} · {formatDate(item.at)}
          <ThreadLink item={item} />
        </p>
      </div>
      <WayBack item={item} what={what} />
    </li>
  )
}

function ThreadLink({ item: { threadId } }: { item: HistoryItem }): ReactNode {
  const updateUi = useUpdateUi()
  const thread = useApp(({ project }) => project.threads.get(rootThreadOf(project, threadId)))
  if (!thread) return null
  return (
    <>
      {' · '}
      <button
        type="button"
        aria-label={labels.open(thread.title)}
        onClick={() => updateUi((ui) => showThread(ui, thread.id))}
        className="rounded-sm text-left text-accent hover:underline"
      >
        <VisibleText text={thread.title} />
      </button>
    </>
  )
}

function WayBack({ item, what }: { item: HistoryItem; what: string }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const undoing = useCommand()
  const project = useApp((state) => state.project)
  const undo = undoFor(item, project, Date.now())
  if (item.undone) return <span className="text-muted text-xs">{labels.undone}</span>
  if (item.kind === 'reject') return <RewindInstead item={item} />
  if (item.kind === 'undo_apply') return null
  if (!undo) return <span className="text-muted text-xs">{labels.gone}</span>
  return (
    <>
      <Button
        aria-label={labels.undo(what)}
        className="max-sm:ml-7"
        icon={<Undo2 size={14} aria-hidden />}
        disabled={undoing.busy}
        onClick={() => void undoing.run(() => undo(client, projectId))}
      >
        {strings.common.undo}
      </Button>
      {undoing.refusal && (
        <div className="basis-full">
          <RefusalNotice refusal={undoing.refusal} />
        </div>
      )}
    </>
  )
}

/** The agent already knows about a rejection, so only a rewind to before it brings the question back. */
function RewindInstead({ item: { threadId, sequence } }: { item: HistoryItem }): ReactNode {
  const updateUi = useUpdateUi()
  const past = useApp((state) => state.project.past.threads.get(threadId))
  const checkpoint = versionAt(past, sequence - 1)
  if (!checkpoint?.thread || checkpoint.mark.kind === 'sibling') return null
  return (
    <Button
      tone="quiet"
      className="max-sm:ml-5"
      title={labels.rewindHint}
      icon={<History size={14} aria-hidden />}
      onClick={() => updateUi((ui) => showRewind(showThread(ui, threadId), checkpoint.sequence))}
    >
      {labels.rewindInstead}
    </Button>
  )
}
