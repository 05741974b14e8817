import type { Decision, Interrupt } from '#shared/model/calls/interrupt.ts'
import { hasFailed, wasTried } from '#shared/tools/card.ts'
import { accessOf, findToolFacts, type ToolName } from '#shared/tools/tool-facts.ts'
import { firstLine } from '#shared/tools/tool-labels.ts'
import { strings } from '../strings/strings.ts'
import { isLowRisk } from './approval-logic.ts'

/** Characters of a call that a notification shows whole on every system. */
const fitting = 120

/** Tools whose whole call stands in its arguments. Commands, code, scripts and tools of other programs are never here. */
const plainTools: ReadonlySet<string> = new Set<ToolName>([
  'ls',
  'glob',
  'grep',
  'read_file',
  'write_file',
  'edit_file',
  'multi_edit',
  'delete',
  'move',
])

/** What a notification says of the calls that wait: a single one with everything that it gets, several by their names. */
export function noticeBodyOf({ action_requests }: Pick<Interrupt, 'action_requests'>): string {
  const [request, ...others] = action_requests
  if (!request || others.length > 0) return action_requests.map(({ name }) => name).join(', ')
  const { command } = accessOf(findToolFacts(request.name).access, request.args)
  if (wasTried(request) && !plainTools.has(request.name))
    return strings.effects.notice(request.name, firstLine(command ?? '') || request.name)
  return `${request.name} ${JSON.stringify(request.args)}`
}

/**
 * The decision that a notification may offer. Only for a single call of low risk on files that the notification shows
 * whole. Null for all others, and always for commands, code and tools of other programs.
 */
export function onePressOf(interrupt: Interrupt): Decision | null {
  const [request, ...others] = interrupt.action_requests
  if (!request || others.length > 0 || !isLowRisk(interrupt, request)) return null
  if (wasTried(request) && hasFailed(request)) return null
  const body = noticeBodyOf(interrupt)
  // Letters beyond ASCII may look like others, and a notification cannot mark them as a card does.
  if (!plainTools.has(request.name) || body.length > fitting || !/^[ -~]*$/.test(body)) return null
  return (request.scripts ?? []).length > 0 ? null : { type: 'approve', callId: request.callId }
}
