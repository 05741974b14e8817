import { chain } from '../../base/chain.ts'
import type { Entry, EntryOf } from '../entry.ts'
import type { MemoryVersion } from '../memory.ts'
import type { ProjectState } from '../project-state.ts'

/** Memory belongs to the project. It survives rewinds and the deletion of threads. */
export function foldMemories(state: ProjectState, entry: Entry): ProjectState {
  switch (entry.type) {
    case 'memory.written':
      return withMemory(state, entry, entry.text, entry.restores)
    case 'memory.deleted':
      return withMemory(state, entry, null, null)
    case 'memory.recalled':
      return { ...state, memories: entry.names.reduce((known, name) => withUse(known, name, entry), state.memories) }
    case 'user_memory.written':
    case 'user_memory.deleted':
      return { ...state, userMemories: withUserWrite(state.userMemories, entry) }
    default:
      return state
  }
}

function withUserWrite(
  known: ProjectState['userMemories'],
  { name, sequence, undoes }: EntryOf<'user_memory.written' | 'user_memory.deleted'>,
): ProjectState['userMemories'] {
  const undone = known.get(name)?.undone ?? []
  return known.with(name, { latest: sequence, undone: undoes === undefined ? undone : [...undone, undoes] })
}

function withMemory(
  state: ProjectState,
  { name, sequence, at, threadId, agent, callId }: EntryOf<'memory.written' | 'memory.deleted'>,
  text: string | null,
  restores: MemoryVersion['restores'],
): ProjectState {
  const known = state.memories.get(name)
  const number = (known?.versions.length ?? 0) + 1
  const version = { sequence, number, at, threadId, agent, callId, length: text?.length ?? null, restores }
  const versions = chain(known?.versions ?? null, version)
  return { ...state, memories: state.memories.with(name, { name, text, versions, used: known?.used ?? null }) }
}

function withUse(
  memories: ProjectState['memories'],
  name: string,
  { at, threadId }: EntryOf<'memory.recalled'>,
): ProjectState['memories'] {
  const known = memories.get(name)
  return known ? memories.with(name, { ...known, used: { at, threadId } }) : memories
}
