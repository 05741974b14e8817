import type { Memory } from '#shared/model/memory.ts'
import { useOfferUndo } from '../parts/use-offer-undo.ts'
import { type Command, useCommand } from '../state/hooks/hooks.tsx'
import type { MemoryScope } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { useMemorySource } from './memory-source.ts'

const labels = strings.memory

export interface MemoryActions extends Pick<Command, 'busy' | 'refusal'> {
  /** Deletes all of them. One undo restores all of them. */
  remove(memories: readonly Memory[]): void
}

export function useMemoryActions(scope: MemoryScope): MemoryActions {
  const source = useMemorySource(scope)
  const command = useCommand()
  const offerUndo = useOfferUndo()

  async function remove(memories: readonly Memory[]): Promise<void> {
    const undos: (() => Promise<unknown>)[] = []
    await command.run(async () => {
      for (const memory of memories) undos.push(await source.remove(memory))
    })
    const [only] = memories
    if (undos.length === 0 || !only) return
    const message = undos.length === 1 ? labels.deleted(only.name) : labels.deletedMany(undos.length)
    offerUndo(message, () => Promise.all(undos.map((undo) => undo())))
  }

  return { busy: command.busy, refusal: command.refusal, remove: (memories) => void remove(memories) }
}
