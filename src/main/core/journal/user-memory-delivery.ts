import type { Entry, EntryOf } from '#shared/model/entry.ts'
import type { UserMemoryStore, UserMemoryWrite } from '../ports/stores/user-memories.ts'
import type { LogReader } from './project-log.ts'

const writeTypes = ['user_memory.written', 'user_memory.deleted'] as const
type WriteEntry = EntryOf<(typeof writeTypes)[number]>

/** Brings what a project's journal says about the memories for all projects to their store. */
export interface UserMemoryDelivery {
  /** Call for every stored entry. What the store refuses is reported and delivered with a later entry. */
  take(entry: Entry): void
  /** Delivers everything that did not arrive, after a crash or a damaged store. */
  catchUp(log: Pick<LogReader, 'entries' | 'state'>): void
}

/**
 * The journal comes first: a write is stored with the result of its call, and then delivered. The store knows each
 * write by its key, so a delivery can be repeated.
 */
export function createUserMemoryDelivery(
  store: UserMemoryStore,
  project: UserMemoryWrite['project'],
  onProblem: (error: unknown) => void,
): UserMemoryDelivery {
  let waiting: readonly UserMemoryWrite[] = []
  const attempt = (act: () => void): boolean => {
    try {
      act()
      return true
    } catch (error) {
      onProblem(error)
      return false
    }
  }
  const record = (writes: readonly UserMemoryWrite[], arrival: 'now' | 'late'): void => {
    if (writes.length > 0 && !attempt(() => store.record(writes, arrival))) waiting = writes
    else waiting = []
  }
  return {
    take(entry) {
      if (entry.type === 'user_memory.recalled') {
        const { names, at, threadId } = entry
        attempt(() => store.recordUse({ names, at, threadId }))
      } else if (isWrite(entry)) record([...waiting, writeOf(entry, project)], 'now')
    },
    catchUp(log) {
      // Looking for entries of a type takes as long as the journal is, and most projects have none of these.
      if (log.state.userMemories.size === 0) return
      record(
        (log.entries(writeTypes) as readonly WriteEntry[]).map((entry) => writeOf(entry, project)),
        'late',
      )
    },
  }
}

/** The key of the write that an entry of this project stands for. */
export function userMemoryKey({ sequence, at }: Pick<Entry, 'sequence' | 'at'>, project: { readonly id: string }) {
  return `${project.id}/${sequence}/${at}`
}

function isWrite(entry: Entry): entry is WriteEntry {
  return (writeTypes as readonly string[]).includes(entry.type)
}

function writeOf(entry: WriteEntry, project: UserMemoryWrite['project']): UserMemoryWrite {
  const { name, at, threadId, agent, callId } = entry
  const isText = entry.type === 'user_memory.written'
  const content = { text: isText ? entry.text : null, restores: isText ? entry.restores : null }
  return { key: userMemoryKey(entry, project), name, ...content, at, project, threadId, agent, callId }
}
