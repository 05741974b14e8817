import type { EndedRound } from '#shared/model/derived/awaited.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { Awaiting } from '../../ports/code-runner.ts'
import { awaitedTasks, maxTasks } from '../delegate/declared-tasks.ts'
import { failedOutput, type ToolContext, type ToolOutput } from '../tool.ts'

/**
 * Code waits for subagents by ending. The loop runs what it waits for as a batch, and then runs the code again from its
 * start with the results. So nothing is held while subagents work, a restart changes nothing, and nothing that the code
 * wrote before counts twice: each run begins with the same files, and only the last one is kept.
 */
export type EndedRounds = (callId: ToolCallId) => readonly EndedRound[]

export const awaitedForm = '{ status: ok | failed | skipped | cancelled, result or error, handle, name, diff }'

export const awaitingText =
  'They begin with your files as they were before this call, and nothing of theirs is merged. While they work the code is ended; then it runs again from its start with the results so far. So what it asks for must not depend on the clock, and the time limit counts for each run.'

/** What a run is given of the rounds so far. In *Plan*, where nothing counts, code starts no subagents. */
export function awaitingOf(
  ended: readonly EndedRound[],
  { callId, drops }: Pick<ToolContext, 'callId' | 'drops'>,
): { readonly awaiting?: Awaiting } {
  if (drops) return {}
  const rounds = ended.map(({ tasks, results }) => ({
    tasks: tasks.map((task) => JSON.stringify(task)),
    results: results.map((result) => JSON.stringify(result)),
  }))
  return { awaiting: { rounds, seed: seedOf(callId) } }
}

/** FNV-1a. */
function seedOf(text: string): number {
  return [...text].reduce((hash, one) => Math.imul(hash ^ (one.codePointAt(0) ?? 0), 0x01000193), 0x811c9dc5) | 0
}

/** The text is read only where the code had ended before, and now waits because its files are others. */
export function waitingOutput(awaits: readonly string[], ended: readonly EndedRound[]): ToolOutput<never> {
  const before = ended.reduce((sum, round) => sum + round.tasks.length, 0)
  // Code that waits in a loop would go on for ever with what it is refused.
  if (before + awaits.length > maxTasks)
    return failedOutput(`Code cannot wait for more than ${maxTasks} tasks, so it was ended. Nothing of it is kept.`)
  const tasks = awaitedTasks(awaits)
  if (!tasks) return failedOutput('The code waits for something that is no task.')
  const text =
    'Its files were changed after it had run, and now it waits for other subagents. Nothing of it is kept: run it again.'
  return { ...failedOutput(text), awaits: tasks.map((task) => ({ ...task })) }
}

const handlesNamed = 20

/** Whom the code waited for. Empty for nobody. */
export function roundsNote(ended: readonly EndedRound[]): string {
  const results = ended.flatMap((round) => round.results)
  if (results.length === 0) return ''
  const handles = results.flatMap(({ handle }) => handle ?? [])
  const named = handles.length > handlesNamed ? [...handles.slice(0, handlesNamed), '…'] : handles
  const counted = results.length === 1 ? '1 subagent was' : `${results.length} subagents were`
  return `${counted} waited for${named.length === 0 ? '' : ` (${named.join(', ')})`}; nothing of theirs is merged by itself.`
}
