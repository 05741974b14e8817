import type { Entry, EntryOf } from '../entry.ts'
import type { TerminalRecord } from '../process.ts'
import type { ProjectState } from '../project-state.ts'

/** What an entry does to the terminals of people in the branch of its thread. */
export function foldTerminals(state: ProjectState, entry: Entry): ProjectState {
  if (entry.type !== 'terminal.started' && entry.type !== 'terminal.ended' && entry.type !== 'terminal.decided')
    return state
  const before = state.terminals.get(entry.threadId) ?? []
  return { ...state, terminals: state.terminals.with(entry.threadId, foldRecords(before, entry)) }
}

function foldRecords(
  before: readonly TerminalRecord[],
  entry: EntryOf<'terminal.started' | 'terminal.ended' | 'terminal.decided'>,
): readonly TerminalRecord[] {
  const others = before.filter(({ id }) => id !== entry.terminalId)
  if (entry.type === 'terminal.decided') return others
  if (entry.type === 'terminal.started') {
    const { terminalId: id, threadId, branchId, sequence: startedAt } = entry
    return [...others, { id, threadId, branchId, startedAt, patch: null }]
  }
  if (entry.patch.length === 0) return others
  return before.map((one) => (one.id === entry.terminalId ? { ...one, patch: entry.patch } : one))
}
