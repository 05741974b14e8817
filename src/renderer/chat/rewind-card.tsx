import { History, Play, Redo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { RewindNote, ThreadState } from '#shared/model/thread.ts'
import { useClient, useCommand, useProjectId } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'

const labels = strings.rewind

export interface RewindCardProps {
  readonly thread: ThreadState
  readonly note: RewindNote
  /** No later rewind of the thread stands. */
  readonly last: boolean
}

/** Where the thread was rewound, and the way back. */
export function RewindCard({ thread, note, last }: RewindCardProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const target = { projectId, threadId: thread.id }
  const title = titleOf(note)
  const goneOn = thread.lastSequence > note.sequence
  return (
    <article aria-label={title} className="my-2 rounded-lg border border-line border-dashed px-3 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <History size={14} aria-hidden className="text-warn" />
        <span>{title}</span>
        <span className="ml-auto flex gap-2">
          {last && thread.status === 'paused' && (
            <Button
              icon={<Play size={14} aria-hidden />}
              disabled={command.busy}
              onClick={() => void command.run(() => client.threads.continue(target))}
            >
              {strings.chat.continue}
            </Button>
          )}
          {last && (
            <Button
              icon={<Redo2 size={14} aria-hidden />}
              title={goneOn ? labels.redoReplaces : undefined}
              disabled={command.busy}
              onClick={() => void command.run(() => client.rewind.redo({ ...target, sequence: note.sequence }))}
            >
              {note.undoes === null ? labels.redo : labels.again}
            </Button>
          )}
        </span>
      </div>
      {last && goneOn && <p className="mt-1 text-muted text-xs">{labels.redoReplaces}.</p>}
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
    </article>
  )
}

function titleOf({ undoes, files, conversation }: RewindNote): string {
  if (undoes !== null) return labels.redone
  return labels.card[files && conversation ? 'both' : files ? 'files' : 'conversation']
}
