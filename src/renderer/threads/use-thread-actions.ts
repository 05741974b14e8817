import type { ThreadState } from '#shared/model/thread.ts'
import { useOfferUndo } from '../parts/use-offer-undo.ts'
import { refusalOf } from '../state/connection/refusal.ts'
import { useClient, useProjectId, useSession } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { toastNote, toastProblem } from '../ui/controls/toast.ts'
import { saveFile } from '../ui/react/save-file.ts'

const labels = strings.threads

export interface ThreadActions {
  rename(thread: ThreadState, title: string): void
  pin(thread: ThreadState): void
  archive(thread: ThreadState): void
  remove(thread: ThreadState): void
  restore(thread: ThreadState): void
  /** Saves what the thread's models said and what came of it, for a replay or a report of a bug. */
  saveRecord(thread: ThreadState): void
  /** Saves the conversation as a page for people who do not have Coppice. */
  savePage(thread: ThreadState): void
}

/** The commands for whole threads. A refusal is shown as a note, because the row may be gone by then. */
export function useThreadActions(): ThreadActions {
  const client = useClient()
  const session = useSession()
  const projectId = useProjectId()
  const offerUndo = useOfferUndo()
  const run = (work: Promise<unknown>, done: () => void = () => undefined): void =>
    void work.then(done, (error: unknown) => toastProblem(refusalOf(error).message, refusalOf(error).nextStep))
  const leave = ({ id }: ThreadState): void =>
    session.updateUi((ui) =>
      ui.thread.kind === 'thread' && ui.thread.id === id ? { ...ui, thread: { kind: 'auto' } } : ui,
    )
  return {
    rename({ id: threadId, title: before }, title) {
      if (title.trim() !== '' && title.trim() !== before)
        run(client.threads.rename({ projectId, threadId, title: title.trim() }))
    },
    pin: ({ id: threadId, pinned }) => run(client.threads.pin({ projectId, threadId, pinned: !pinned })),
    archive(thread) {
      const target = { projectId, threadId: thread.id }
      run(client.threads.archive({ ...target, archived: !thread.archived }), () => {
        if (thread.archived) return
        leave(thread)
        offerUndo(labels.archived(thread.title), () => client.threads.archive({ ...target, archived: false }))
      })
    },
    remove(thread) {
      const target = { projectId, threadId: thread.id }
      run(client.threads.delete(target), () => {
        leave(thread)
        offerUndo(labels.deleted(thread.title), () => client.threads.restore(target), labels.deletedDetail)
      })
    },
    saveRecord: ({ id: threadId }) =>
      run(
        client.threads.exportRecord({ projectId, threadId }).then(({ name, text, replaced }) => {
          saveFile(name, text, 'application/jsonl')
          toastNote(replaced > 0 ? `${labels.recordSaved(name)}. ${labels.recordReplaced}` : labels.recordSaved(name))
        }),
      ),
    savePage: ({ id: threadId }) =>
      run(
        client.threads.exportPage({ projectId, threadId }).then(({ name, text }) => {
          saveFile(name, text, 'text/html;charset=utf-8')
          toastNote(labels.recordSaved(name))
        }),
      ),
    restore: ({ id: threadId }) => run(client.threads.restore({ projectId, threadId })),
  }
}
