import { isGrantable, reachProblem } from '#shared/base/reach/local-reach.ts'
import type { ActionRequest, Decision, Interrupt } from '#shared/model/calls/interrupt.ts'
import {
  allowedDecisions,
  approval,
  type CardAction,
  cardKind,
  type Draft,
  draftOf,
  oddCharactersOf,
  wasTried,
} from '#shared/tools/card.ts'
import { deedLine } from '#shared/tools/card-words.ts'
import { planTitle } from '#shared/tools/plans.ts'
import { plainWords } from '#shared/tools/tool-labels.ts'
import { type Answer, emptyAnswer } from '../state/store/answers.ts'
import { strings } from '../strings/strings.ts'

/** The action of a key on a focused card; null for other keys, before the card is armed, and while typing in it. */
export function cardKey(key: string, armed: boolean, typing: boolean): CardAction | null {
  if (!armed || typing) return null
  switch (key.toLowerCase()) {
    case 'y':
      return 'approve'
    case 'e':
      return 'edit'
    case 'n':
      return 'reject'
    case 'l':
      return 'allow'
    case 'f':
      return 'some'
    default:
      return null
  }
}

/** Reads host names separated by commas or spaces; null if one of them is not a host. */
export function hostsIn(text: string): readonly string[] | null {
  const hosts = text.split(/[\s,]+/).filter(Boolean)
  return hosts.every(isGrantable) ? [...new Set(hosts)] : null
}

/** The hosts of a field that can be granted for good; none if one of them cannot. */
export function lastingHostsIn(text: string): readonly string[] {
  const hosts = hostsIn(text) ?? []
  return hosts.every((host) => reachProblem(host) === null) ? hosts : []
}

/** The edit that a card shows; null while it shows the call as the agent asked for it. */
export function shownDraft(
  request: ActionRequest,
  { edited, editing }: Pick<Answer, 'edited' | 'editing'>,
): Draft | null {
  const asked = draftOf(request)
  return editing ? { ...asked, text: edited ?? asked.text } : null
}

/** Approves a call as its card shows it, without a reason while the edit is shown. Null if what is typed is not valid. */
export function shownApproval(request: ActionRequest, answer: Answer = emptyAnswer): Decision | null {
  const granted = hostsIn(answer.network)
  if (!granted) return null
  const draft = shownDraft(request, answer)
  const message = answer.editing ? '' : answer.reason
  // The card of a tried call shows the field for hosts only beside the edit.
  return approval(request, draft, { message, granted: wasTried(request) && !draft ? [] : granted, kept: answer.kept })
}

/** True when keeping a call would show the model what looks like a key. */
function showsSecret({ effects }: ActionRequest): boolean {
  return effects !== undefined && (effects.secrets.length > 0 || effects.hidden_secrets === true)
}

/**
 * The calls that *Approve all* approves or keeps. Calls of high risk are decided one by one, and so are those that printed
 * a secret.
 */
export function approvableAtOnce(interrupt: Interrupt, requests: readonly ActionRequest[]): readonly ActionRequest[] {
  return requests.filter(
    (request) =>
      request.risk !== 'high' &&
      cardKind(interrupt, request) !== 'plan' &&
      allowedDecisions(interrupt, request).includes('approve') &&
      !showsSecret(request),
  )
}

/** Whether calls ask before they run, ran already, or some of both. */
export function kindOfAll(requests: readonly ActionRequest[]): 'asks' | 'tried' | 'both' {
  const tried = requests.filter(wasTried).length
  return tried === 0 ? 'asks' : tried === requests.length ? 'tried' : 'both'
}

/** The calls that several agents may be given at once: of low risk, and with nothing in them that only looks plain. */
export function isLowRisk(interrupt: Interrupt, request: ActionRequest): boolean {
  return (
    request.risk === 'low' &&
    cardKind(interrupt, request) === 'approval' &&
    allowedDecisions(interrupt, request).includes('approve') &&
    oddCharactersOf(request).length === 0 &&
    !showsSecret(request)
  )
}

/** The risk of a call as it would be approved now. Hosts that the person grants make a harmless command less so. */
export function riskNow(
  { risk, riskReason }: ActionRequest,
  granted: readonly string[],
): Pick<ActionRequest, 'risk' | 'riskReason'> {
  if (risk !== 'low' || granted.length === 0) return { risk, riskReason }
  return { risk: 'medium', riskReason: strings.approvals.mayReach(granted.join(', ')) }
}

/** A request in one line, for the inbox. */
export function summaryOf(request: ActionRequest): string {
  if (wasTried(request)) return deedLine(request)
  const { name, args } = request
  const first =
    args.command ??
    (typeof args.plan === 'string' ? planTitle(args.plan) : undefined) ??
    args.file_path ??
    args.path ??
    args.code
  const asked = typeof args.question === 'string' ? plainWords(args.question) : ''
  const line = (typeof first === 'string' ? first : asked).trim().split('\n', 1)[0]
  return line ? `${name} ${line}` : name
}
