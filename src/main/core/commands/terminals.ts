import type { BranchId, LayerId } from '#shared/model/ids.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { TerminalRecord } from '#shared/model/process.ts'
import { findTerminal } from '#shared/model/project-state.ts'
import { changeBranch } from './changes.ts'
import { type CommandProject, type Decided, refuse, write } from './command.ts'

type TerminalProject = Pick<CommandProject, 'log'>

/** A person's terminal begins in a branch as it is now. Refused while one of this name waits for a decision or runs. */
export function startTerminal({ log }: TerminalProject, branchId: BranchId, terminalId: string): Decided {
  log.load([branchId])
  const branch = log.state.branches.get(branchId)
  if (!branch) return refuse('not_found', 'This branch does not exist in this project.')
  if (findTerminal(log.state, terminalId)) return refuse('conflict', 'A terminal of this name is open already.')
  return write([{ type: 'terminal.started', threadId: branch.threadId, branchId, terminalId }])
}

/**
 * It has ended, and waits with what it changed. An empty patch leaves nothing to decide. `layers` are what commands of the branch
 * find from now on beside its files, whatever is decided; null when it left nothing there.
 */
export function endTerminal(
  { threadId, branchId, id: terminalId }: TerminalRecord,
  patch: Patch,
  layers: readonly LayerId[] | null,
): Decided {
  const left = layers && ({ type: 'environment.changed', threadId, branchId, layers, callId: null } as const)
  return write([{ type: 'terminal.ended', threadId, branchId, terminalId, patch }, ...(left ? [left] : [])])
}

/** Makes what an ended terminal changed a change of its branch. Nothing is decided when the branch has moved on. */
export function keepTerminal(project: CommandProject, terminalId: string): Decided {
  const terminal = findEnded(project, terminalId)
  if (!terminal?.patch) return refuseUnknown()
  const kept = changeBranch(project, terminal.branchId, terminal.patch)
  return kept.ok ? write([...kept.value.entries, decidedEntry(terminal, true)], kept.value.movedOn) : kept
}

export function dropTerminal(project: TerminalProject, terminalId: string): Decided {
  const terminal = findEnded(project, terminalId)
  return terminal ? write([decidedEntry(terminal, false)]) : refuseUnknown()
}

function findEnded({ log }: TerminalProject, terminalId: string): TerminalRecord | undefined {
  const terminal = findTerminal(log.state, terminalId)
  return terminal?.patch ? terminal : undefined
}

function decidedEntry({ threadId, branchId, id: terminalId }: TerminalRecord, kept: boolean) {
  return { type: 'terminal.decided', threadId, branchId, terminalId, kept } as const
}

function refuseUnknown() {
  return refuse('not_found', 'This terminal has ended. Open a new one.')
}
