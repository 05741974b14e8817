import type { Entry, EntryOf } from '../entry.ts'
import type { ProcessRecord } from '../process.ts'
import type { ProjectState } from '../project-state.ts'

/** What an entry does to the processes of its thread. */
export function foldProcesses(state: ProjectState, entry: Entry): ProjectState {
  if (entry.type !== 'process.started' && entry.type !== 'process.ended') return state
  const before = state.processes.get(entry.threadId) ?? []
  const after = entry.type === 'process.started' ? [...before, recordOf(entry)] : before.map((one) => endIn(one, entry))
  return { ...state, processes: state.processes.with(entry.threadId, after) }
}

function recordOf({ processId, threadId, branchId, command, at }: EntryOf<'process.started'>): ProcessRecord {
  return { id: processId, threadId, branchId, command, startedAt: at, end: null }
}

function endIn(process: ProcessRecord, entry: EntryOf<'process.ended'>): ProcessRecord {
  if (process.id !== entry.processId || process.end !== null) return process
  const { by, exitCode, signal, note, at } = entry
  return { ...process, end: { by, exitCode, signal, note, at } }
}
