import { type Call, openOutcome } from '#shared/model/calls/call.ts'
import { resultLine } from '#shared/tools/tool-labels.ts'
import { strings } from '../strings/strings.ts'

const labels = strings.effects.settled

interface OutcomeNote {
  readonly word: string
  /** Why a person dropped it, or how it failed; empty for nothing to say. */
  readonly reason: string
}

/** What became of a call that was tried; null for any other call. */
export function outcomeNote(call: Call): OutcomeNote | null {
  if (openOutcome(call) !== null) return { word: labels.waits, reason: '' }
  const { state, decision } = call
  if (state.kind !== 'finished' || state.how === 'ran') return null
  if (state.how === 'dropped') return { word: labels.changesDropped, reason: resultLine(call) }
  if (decision?.type === 'reject') return { word: labels.dropped, reason: decision.message ?? '' }
  const paths = decision?.type === 'approve' ? decision.paths : undefined
  return { word: paths === undefined ? labels.kept : labels.part(paths.join(', ')), reason: resultLine(call) }
}
