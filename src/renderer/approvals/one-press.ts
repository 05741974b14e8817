import type { Decision, Interrupt } from '#shared/model/interrupt.ts'
import { isLowRisk } from './approval-logic.ts'

/**
 * The decision that a notification may offer. Only for a single call of low risk that nobody has to look at, which the
 * window would approve together with others by one press. Null for all others.
 */
export function onePressOf(interrupt: Interrupt): Decision | null {
  const [request, ...others] = interrupt.action_requests
  if (!request || others.length > 0 || !isLowRisk(interrupt, request)) return null
  return (request.scripts ?? []).length > 0 ? null : { type: 'approve', callId: request.callId }
}
