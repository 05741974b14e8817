import type { Sequence } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { useOfferUndo } from '../parts/use-offer-undo.ts'
import { type Command, useClient, useCommand, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import { showThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'

const labels = strings.rewind

/** Which part of a thread goes back. */
export type RewindScope = 'both' | 'files' | 'conversation'

interface RewindActions {
  readonly command: Command
  rewind(to: Sequence, scope: RewindScope): Promise<boolean>
  fork(to: Sequence): Promise<boolean>
}

export function useRewindActions(thread: ThreadState): RewindActions {
  const client = useClient()
  const projectId = useProjectId()
  const updateUi = useUpdateUi()
  const offerUndo = useOfferUndo()
  const command = useCommand()
  const target = { projectId, threadId: thread.id }
  return {
    command,
    rewind: (to, scope) =>
      command.run(async () => {
        const [files, conversation] = [scope !== 'conversation', scope !== 'files']
        const { sequence } = await client.rewind.to({ ...target, to, files, conversation })
        offerUndo(labels.done, () => client.rewind.redo({ ...target, sequence }), labels.doneDetail)
      }),
    fork: (to) =>
      command.run(async () => {
        const { threadId } = await client.rewind.fork({ ...target, to, title: labels.forked(thread.title) })
        updateUi((ui) => showThread(ui, threadId))
      }),
  }
}
