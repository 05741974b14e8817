import { chain } from '#shared/base/chain.ts'
import { LayeredMap } from '#shared/base/layered-map.ts'
import type { ProjectId, Sequence, ThreadId } from '#shared/model/ids.ts'
import type { Memory } from '#shared/model/memory.ts'
import type { UserMemoryStore, UserMemoryWrite } from './user-memories.ts'

/** One version of a memory, to be varied. */
export const someWrite: UserMemoryWrite = {
  key: 'project/1/10',
  name: 'style.md',
  text: 'Tabs.',
  at: 10,
  project: { id: 'project' as ProjectId, name: 'tally' },
  threadId: 'thread' as ThreadId,
  agent: 'main',
  callId: null,
  restores: null,
}

/** A store that lives as long as the test. */
export function createMemoryUserMemories(): UserMemoryStore {
  const rows: (UserMemoryWrite & { readonly id: Sequence })[] = []
  const uses = new Map<string, NonNullable<Memory['used']>>()
  return {
    current() {
      const sorted = rows.toSorted((a, b) => a.at - b.at || a.id - b.id)
      return sorted.reduce((known, { id, name, text, at, threadId, agent, callId, restores, project }) => {
        const before = known.get(name)?.versions ?? null
        const number = (before?.length ?? 0) + 1
        const length = text?.length ?? null
        const version = { sequence: id, number, at, threadId, agent, callId, length, restores, project }
        return known.with(name, { name, text, versions: chain(before, version), used: uses.get(name) ?? null })
      }, LayeredMap.empty<string, Memory>())
    },
    textOf: (name, version) => rows.find((row) => row.name === name && row.id === version)?.text ?? null,
    findVersion: (key) => rows.find((row) => row.key === key)?.id ?? null,
    problem: () => null,
    record(writes, arrival) {
      for (const write of writes) {
        if (rows.some(({ key }) => key === write.key)) continue
        const latest = Math.max(...rows.filter(({ name }) => name === write.name).map(({ at }) => at), 0)
        const late = arrival === 'late'
        const at = late ? write.at : Math.max(write.at, latest)
        rows.push({ ...write, id: rows.length + 1, at, restores: late ? null : write.restores })
      }
    },
    recordUse({ names, at, threadId }) {
      for (const name of names) {
        if (at >= (uses.get(name)?.at ?? 0)) uses.set(name, { at, threadId })
      }
    },
  }
}
