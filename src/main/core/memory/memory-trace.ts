import type { MemoryEntryBody } from '#shared/model/entry.ts'
import type { ToolCallId } from '#shared/model/ids.ts'

/** What one call did with the memory, to be stored with its result. */
export interface MemoryTrace {
  recalled(name: string): void
  /** `text: null` deletes. */
  changed(name: string, text: string | null): void
  /** By a call of an agent, or by a person (null). */
  entries(agent: string | null, callId: ToolCallId | null): readonly MemoryEntryBody[]
}

export function createMemoryTrace(): MemoryTrace {
  const names = new Set<string>()
  const changes = new Map<string, string | null>()
  return {
    recalled: (name) => void names.add(name),
    changed: (name, text) => void changes.set(name, text),
    entries(agent, callId) {
      const changed = [...changes].map(
        ([name, text]): MemoryEntryBody =>
          text === null
            ? { type: 'memory.deleted', name, agent, callId }
            : { type: 'memory.written', name, text, agent, callId, restores: null },
      )
      return names.size > 0 ? [{ type: 'memory.recalled', names: [...names] }, ...changed] : changed
    },
  }
}
