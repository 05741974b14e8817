import type { Call } from '#shared/model/calls/call.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'

/** A command of an agent, running or finished. */
export interface AgentCommand {
  readonly thread: ThreadState
  readonly call: Call
  readonly command: string
}

const shown = 50

/** The latest commands of these threads, newest first. */
export function agentCommands(threads: readonly ThreadState[]): readonly AgentCommand[] {
  return threads
    .flatMap((thread) => [...thread.calls.values()].flatMap((call) => asCommand(thread, call)))
    .sort((a, b) => (b.call.startedAt ?? 0) - (a.call.startedAt ?? 0))
    .slice(0, shown)
}

function asCommand(thread: ThreadState, call: Call): readonly AgentCommand[] {
  const { command } = call.input
  const ran = call.state.kind === 'running' || call.state.kind === 'finished'
  return findToolFacts(call.name).access.command !== null && ran && typeof command === 'string'
    ? [{ thread, call, command }]
    : []
}
