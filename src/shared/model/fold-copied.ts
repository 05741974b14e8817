import { valuesOf } from '../base/chain.ts'
import type { EntryOf } from './entry.ts'
import { checkpointOf } from './past.ts'
import type { ProjectState } from './project-state.ts'
import type { ThreadState } from './thread.ts'

/** What the other agent said, knew and had planned; what it waits for stays its own. */
export function foldCopied(
  state: ProjectState,
  thread: ThreadState,
  { from, to }: EntryOf<'thread.copied'>,
): ThreadState {
  const source = checkpointOf(state, from, to)
  if (!source?.thread) return thread
  const { calls, loopCalls, reads, disk, instructed, todos, prompt, compaction, contextTokens } = source.thread
  const asked = new Set(
    source.thread.interrupts.flatMap(({ action_requests }) => action_requests.map(({ callId }) => callId)),
  )
  const unasked = [...asked].reduce((known, callId) => {
    const call = known.get(callId)
    // One that ran already is not simply asked for again: what became of it is the question here too.
    return call ? known.with(callId, { ...call, phase: call.outside ? 'running' : 'requested' }) : known
  }, calls)
  const copied = { calls: unasked, loopCalls, reads, disk, instructed, todos, prompt, compaction, contextTokens }
  return { ...thread, ...copied, messages: valuesOf(source.messages) }
}
