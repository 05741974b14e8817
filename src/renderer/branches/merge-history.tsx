import { Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import { formatTime } from '#shared/text/format.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { toastNote } from '../ui/controls/toast.ts'

const labels = strings.branches

/** Every merge of a branch, by agents and by the person. Each offers its undo. */
export function MergeHistory({ branch }: { branch: Branch }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const undoing = useCommand()
  const events = useApp((state) => state.timeline.branches.get(branch.id))
  const merger = useApp(({ project }) => {
    const parent = branch.parentId && project.branches.get(branch.parentId)
    return parent ? (project.threads.get(parent.threadId)?.agent ?? '') : ''
  })
  if (branch.merges.length === 0) return null
  async function undo(sequence: number): Promise<void> {
    const done = await undoing.run(() => client.branches.undo({ projectId, sequence }))
    if (done) toastNote(labels.undone)
  }
  return (
    <section aria-label={labels.history} className="border-line border-t px-3 py-2">
      <h3 className="font-semibold text-xs">{labels.history}</h3>
      {undoing.refusal && <RefusalNotice refusal={undoing.refusal} />}
      <ul>
        {branch.merges.map((note) => {
          const at = events?.find(({ sequence }) => sequence === note.sequence)?.at
          return (
            <li key={note.sequence} className="flex min-h-8 items-center gap-2">
              <span className="shrink-0 text-muted text-xs tabular-nums">{at && formatTime(at)}</span>
              <span className={note.undone ? 'text-muted line-through' : undefined}>
                {note.forced ? labels.event.force : labels.event.merge} {labels.eventPaths(note.paths.length)}
              </span>
              <span className="shrink-0 text-muted text-xs">{note.by === 'person' ? strings.chat.you : merger}</span>
              <span className="min-w-0 flex-1 truncate font-mono text-muted text-xs">{note.paths.join(' ')}</span>
              {note.undone ? (
                <span className="text-muted text-xs">{labels.undone}</span>
              ) : (
                <Button
                  tone="quiet"
                  icon={<Undo2 size={14} aria-hidden />}
                  disabled={undoing.busy}
                  onClick={() => void undo(note.sequence)}
                >
                  {labels.undoMerge}
                </Button>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
