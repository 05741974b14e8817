import type { Call } from '#shared/model/calls/call.ts'
import type { EntryBody } from '#shared/model/entry.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { tailOf } from '#shared/text/whole-characters.ts'
import { JournalError } from '../../ports/journal.ts'
import type { LoopContext, RunEnd, StoreCommit } from '../types/loop-context.ts'
import { turnLoop } from './turn-loop.ts'

/**
 * Why a run is cut short. The stop of a person, or of the agent above, is stored as the end; after the other reasons
 * everything can be resumed.
 */
export class RunCut extends Error {
  readonly by: 'stop' | 'parent' | 'behind' | 'deletion' | 'shutdown'

  /** `why` is told in the place of the usual words. */
  constructor(by: RunCut['by'], why = cutTexts[by]) {
    super(why)
    this.name = 'RunCut'
    this.by = by
  }
}

const cutTexts: Readonly<Record<RunCut['by'], string>> = {
  stop: 'Stopped.',
  parent: 'Stopped by the agent above.',
  behind: 'Stopped early, because it was behind other attempts.',
  deletion: 'The thread was deleted.',
  shutdown: 'The app is closing.',
}

/** True for the reason of a run that somebody stopped for good. */
export function isStop(reason: unknown): boolean {
  return reason instanceof RunCut && (reason.by === 'stop' || reason.by === 'parent')
}

/** Drives the loop to its end and stores what it yields. Never rejects: every way to end is a stored end. */
export async function runOnce(given: LoopContext, commit: StoreCommit, signal: AbortSignal): Promise<void> {
  const printed = new Map<ToolCallId, string>()
  const context: LoopContext = {
    ...given,
    // A copy of these would be that of the start.
    get tools() {
      return given.tools
    },
    get toolSpecs() {
      return given.toolSpecs
    },
    live: keepingOutput(given, printed),
  }
  const { cost, assumedPrice } = context.limits
  const step = context.mode === 'step' && ({ step: true } as const)
  const limit = { costLimit: cost, ...(assumedPrice && { assumedPrice }) }
  commit([...context.news(), { type: 'run.started', ...step, ...limit }])
  const end = await driven(context, commit, signal)
  // A pause between two turns is no end: what runs goes on with the next turn.
  if (end.reason !== 'step') await context.endProcesses()
  commit(endEntries(context.thread(), end, context.clock.now(), printed))
}

/** Characters of a running call's output that its result keeps when it is stopped: the last ones. */
const printedKept = 20_000

/** Keeps what running calls print, because a call that is stopped has no other result. */
function keepingOutput({ live }: LoopContext, printed: Map<ToolCallId, string>): LoopContext['live'] {
  return (event) => {
    if (event.type === 'tool.output')
      printed.set(event.callId, tailOf(`${printed.get(event.callId) ?? ''}${event.text}`, printedKept))
    live(event)
  }
}

async function driven(context: LoopContext, commit: StoreCommit, signal: AbortSignal): Promise<RunEnd> {
  try {
    const loop = turnLoop(context, signal)
    let next = await loop.next('stored')
    while (true) {
      if (signal.aborted) {
        // What it holds open is closed, and what only it knows is stored.
        await loop.return(stoppedEnd)
        return cutEnd(signal)
      }
      if (next.done) return next.value
      next = await loop.next(commit(next.value))
    }
  } catch (error) {
    if (signal.aborted) return cutEnd(signal)
    // Nothing is wrong with the work. It can continue once there is room again.
    if (error instanceof JournalError) return { status: 'interrupted', reason: 'storage', message: error.message }
    return {
      status: 'failed',
      reason: 'internal_error',
      message: error instanceof Error ? error.message : String(error),
    }
  }
}

function cutEnd(signal: AbortSignal): RunEnd {
  const cut = signal.reason instanceof RunCut ? signal.reason : new RunCut('stop')
  switch (cut.by) {
    case 'shutdown':
      return {
        status: 'interrupted',
        reason: 'restart',
        message: 'The app was closed while this ran. Continue to go on.',
      }
    case 'deletion':
      return {
        status: 'interrupted',
        reason: 'user',
        message: 'The thread was deleted while this ran. Continue to go on.',
      }
    case 'behind':
      return { status: 'stopped', reason: 'budget', message: cut.message }
    case 'parent':
      return { ...stoppedEnd, message: 'Stopped by the agent above it.' }
    case 'stop':
      return stoppedEnd
  }
}

export const stoppedEnd: RunEnd = { status: 'stopped', reason: 'user', message: 'Stopped by the user.' }

/**
 * The entries that end a run. A run that ended for good leaves no call open, including those of a reply that could not
 * run. An interrupted run continues with its calls later. `printed` is what open calls have put out so far.
 */
export function endEntries(
  thread: ThreadState,
  end: RunEnd,
  now: number,
  printed: ReadonlyMap<ToolCallId, string> = new Map(),
): readonly EntryBody[] {
  const open =
    end.status === 'interrupted' ? [] : [...thread.calls.values()].filter(({ state }) => state.kind !== 'finished')
  const cancelled = open.map(
    (call): EntryBody => ({
      type: 'tool.finished',
      callId: call.callId,
      name: call.name,
      result: {
        outcome: 'cancelled',
        content: [{ type: 'text', text: cancelText(call, now, printed.get(call.callId)) }],
      },
      durationMs: call.startedAt === null ? 0 : Math.max(0, Math.round(now - call.startedAt)),
      reads: [],
    }),
  )
  return [...cancelled, { type: 'run.ended', ...end }]
}

function cancelText({ state: { kind }, startedAt }: Call, now: number, printed: string | undefined): string {
  if (kind === 'running' && startedAt !== null && printed !== undefined) {
    const seconds = Math.max(0, Math.round((now - startedAt) / 1000))
    return `Stopped after ${seconds} s, before it ended. None of its changes were kept. It had printed:\n${printed.trimEnd()}`
  }
  return kind === 'running' ? 'Cancelled while it ran: the run ended.' : 'Cancelled before it ran: the run ended.'
}
