import type { EntryOf } from '../entry.ts'
import type { Decision } from '../interrupt.ts'
import type { ToolResult } from '../message.ts'
import type { Outcome } from '../outcome.ts'

/** The fields that said where a call stands before there was one union for it. Kept until both are shown to say the same. */
export interface FlatCall {
  readonly phase: 'requested' | 'waiting' | 'decided' | 'running' | 'finished'
  readonly decision: Decision | null
  readonly outside: boolean
  readonly holding: boolean
  readonly held: Outcome | null
  readonly wasHeld?: true
  readonly wasDropped?: true
  readonly result: ToolResult | null
  readonly startedAt: number | null
}

export const newFlat: FlatCall = {
  ...{ phase: 'requested', decision: null, outside: false, holding: false, held: null, result: null, startedAt: null },
}

export function startFlat(flat: FlatCall, entry: EntryOf<'tool.started'>): FlatCall {
  const { outside = false, holds: holding = false, at: startedAt } = entry
  // Only a batch runs a finished call again.
  const { wasHeld: _, wasDropped: __, ...before } = flat
  return { ...before, phase: 'running', startedAt, outside, holding, held: null }
}

export function holdFlat(flat: FlatCall, { held }: EntryOf<'effects.held'>): FlatCall {
  return { ...flat, held, holding: false, outside: false }
}

export function finishFlat(flat: FlatCall, { result }: EntryOf<'tool.finished'>): FlatCall {
  return {
    ...flat,
    ...{ phase: 'finished', holding: false, held: null, result },
    ...(flat.held !== null && { wasHeld: true as const }),
    // Unlike then: a call that a person rejected before it ran anew was not dropped without a question.
    ...(flat.holding && flat.phase === 'running' && { wasDropped: true as const }),
  }
}

export function decideFlat(flat: FlatCall, { decision }: EntryOf<'interrupt.decided'>): FlatCall {
  return { ...flat, phase: 'decided', decision: decision.type === 'run_again' ? (flat.decision ?? decision) : decision }
}

/** What the loop, the lists and the window asked these fields, each with what the union says. */
export function flatSays(flat: FlatCall) {
  const { phase, held, holding, outside, startedAt, result, wasHeld, wasDropped } = flat
  return {
    isUnstarted: phase === 'requested' || (phase === 'running' && holding && held === null),
    isHeldUnasked: phase === 'running' && held !== null,
    isRunning: phase === 'running' && held === null,
    isWaiting: phase === 'waiting',
    isDecided: phase === 'decided',
    isFinished: phase === 'finished',
    isEndUnknown: phase === 'running' && outside,
    isAboutItsOutcome: phase === 'waiting' && startedAt !== null && !(holding && held === null),
    held,
    result: phase === 'finished' ? result : null,
    how: phase !== 'finished' ? null : wasHeld ? 'kept back' : wasDropped ? 'dropped' : 'ran',
    startedAt,
    decision: flat.decision,
  }
}
