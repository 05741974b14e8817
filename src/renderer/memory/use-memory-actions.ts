import { latestVersion, type Memory } from '#shared/model/memory.ts'
import { useOfferUndo } from '../parts/use-offer-undo.ts'
import { type Command, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'

const labels = strings.memory

export interface MemoryActions extends Pick<Command, 'busy' | 'refusal'> {
  /** Deletes all of them. One undo restores all of them. */
  remove(memories: readonly Memory[]): void
}

export function useMemoryActions(): MemoryActions {
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const offerUndo = useOfferUndo()

  async function remove(memories: readonly Memory[]): Promise<void> {
    const undos: (() => Promise<unknown>)[] = []
    await command.run(async () => {
      for (const memory of memories) {
        const { name } = memory
        const { sequence: to } = latestVersion(memory)
        const { sequence: latest } = await client.memory.delete({ projectId, name, latest: to })
        undos.push(() => client.memory.restore({ projectId, name, to, latest }))
      }
    })
    const [only] = memories
    if (undos.length === 0 || !only) return
    const message = undos.length === 1 ? labels.deleted(only.name) : labels.deletedMany(undos.length)
    offerUndo(message, () => Promise.all(undos.map((undo) => undo())))
  }

  return { busy: command.busy, refusal: command.refusal, remove: (memories) => void remove(memories) }
}
