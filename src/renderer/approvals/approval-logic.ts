import { grantableHost, hostProblem } from '#shared/base/host-names.ts'
import type { JsonObject } from '#shared/base/json.ts'
import {
  type ActionRequest,
  type Decision,
  type DecisionType,
  type Interrupt,
  namedHosts,
} from '#shared/model/interrupt.ts'
import { findOddCharacters } from '#shared/text/odd-characters.ts'
import { accessOf, findToolFacts } from '#shared/tools/tool-facts.ts'
import { type Answer, emptyAnswer } from '../state/store/answers.ts'
import { strings } from '../strings/strings.ts'
import { plainWords } from '../strings/tool-labels.ts'

/**
 * Milliseconds before the buttons of a new card work, so that nobody approves a card that just appeared under the
 * finger.
 */
export const armingDelay = 400

export function allowedDecisions(interrupt: Interrupt, request: ActionRequest): readonly DecisionType[] {
  return (
    interrupt.review_configs.find(({ callId }) => callId === request.callId)?.allowed_decisions ?? ['approve', 'reject']
  )
}

/** The kind of card a request needs: may a call run, a question of the agent, or how did an interrupted call end. */
export function cardKind(interrupt: Interrupt, request: ActionRequest): 'approval' | 'question' | 'outcome' {
  const allowed = allowedDecisions(interrupt, request)
  if (allowed.includes('run_again')) return 'outcome'
  return allowed.includes('respond') ? 'question' : 'approval'
}

/** What a person can do with a card. `allow` approves the call and adds a rule, so that similar calls no longer ask. */
export type CardAction = 'approve' | 'edit' | 'reject' | 'allow'

/** The actions of a card. An edited call can be approved if edits are allowed, even if the original cannot. */
export function availableActions(
  interrupt: Interrupt,
  request: ActionRequest,
  editing: boolean,
): ReadonlySet<CardAction> {
  const allowed = new Set(allowedDecisions(interrupt, request))
  const approve = allowed.has('approve')
  return new Set([
    ...(approve || (editing && allowed.has('edit')) ? (['approve'] as const) : []),
    ...(allowed.has('edit') ? (['edit'] as const) : []),
    ...(allowed.has('reject') ? (['reject'] as const) : []),
    ...(approve && !editing && request.allowable !== false ? (['allow'] as const) : []),
  ])
}

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
    default:
      return null
  }
}

export interface Draft {
  /** The argument that is edited as plain text; null if all are edited as JSON. */
  readonly argument: string | null
  readonly text: string
}

export function draftOf({ name, args }: ActionRequest): Draft {
  const argument = findToolFacts(name).code?.argument
  const value = argument === undefined ? undefined : args[argument]
  if (argument !== undefined && typeof value === 'string') return { argument, text: value }
  return { argument: null, text: JSON.stringify(args, null, 2) }
}

/** The edited arguments; null if the text is not a JSON object. */
function editedArguments(request: ActionRequest, draft: Draft): JsonObject | null {
  if (draft.argument !== null) return { ...request.args, [draft.argument]: draft.text }
  try {
    const value: unknown = JSON.parse(draft.text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

/** `JSON.parse` returns only JSON values, so an object is a JSON object. */
function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads host names separated by commas or spaces; null if one of them is not a host. */
export function hostsIn(text: string): readonly string[] | null {
  const hosts = text.split(/[\s,]+/).filter(Boolean)
  return hosts.every((host) => grantableHost.test(host)) ? [...new Set(hosts)] : null
}

/** The hosts of a field that can be granted for good; none if one of them cannot. */
export function lastingHostsIn(text: string): readonly string[] {
  const hosts = hostsIn(text) ?? []
  return hosts.every((host) => hostProblem(host) === null) ? hosts : []
}

/** The hosts of the addresses in a command. */
export function findHosts({ name, args }: ActionRequest): readonly string[] {
  const { command } = accessOf(findToolFacts(name).access, args)
  return namedHosts(command ?? '')
}

/**
 * The decision that approves what is shown: the original call, or the edited one if the edit changed something. Null if
 * the edit is not valid. `message` goes to the agent with the result.
 */
export function approval(
  request: ActionRequest,
  draft: Draft | null,
  { granted = [], message = '' }: { readonly granted?: readonly string[]; readonly message?: string } = {},
): Decision | null {
  const words = message.trim()
  const said = { ...(granted.length > 0 && { hosts: granted }), ...(words && { message: words }) }
  const unchanged: Decision = { type: 'approve', callId: request.callId, ...said }
  if (!draft || draft.text === draftOf(request).text) return unchanged
  const args = editedArguments(request, draft)
  return args && { type: 'edit', callId: request.callId, args, ...said }
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
  return (
    granted && approval(request, shownDraft(request, answer), { granted, message: answer.editing ? '' : answer.reason })
  )
}

export function rejection(request: ActionRequest, reason: string): Decision {
  const message = reason.trim()
  return { type: 'reject', callId: request.callId, ...(message && { message }) }
}

/** The calls that *Approve all* approves. Calls of high risk are decided one by one. */
export function approvableAtOnce(interrupt: Interrupt, requests: readonly ActionRequest[]): readonly ActionRequest[] {
  return requests.filter(
    (request) => request.risk !== 'high' && allowedDecisions(interrupt, request).includes('approve'),
  )
}

/** The calls that several agents may be given at once: of low risk, and with nothing in them that only looks plain. */
export function isLowRisk(interrupt: Interrupt, request: ActionRequest): boolean {
  return (
    request.risk === 'low' &&
    cardKind(interrupt, request) === 'approval' &&
    allowedDecisions(interrupt, request).includes('approve') &&
    oddCharactersOf(request).length === 0
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
export function summaryOf({ name, args }: ActionRequest): string {
  const first = args.command ?? args.file_path ?? args.path ?? args.code
  const asked = typeof args.question === 'string' ? plainWords(args.question) : ''
  const line = (typeof first === 'string' ? first : asked).trim().split('\n', 1)[0]
  return line ? `${name} ${line}` : name
}

const mostOddCharacters = 20

/** Each word of a command line with a character that is not what it looks like, and why. */
export function oddCharactersOf({ name, args }: Pick<ActionRequest, 'name' | 'args'>): readonly string[] {
  const { command } = findToolFacts(name).access
  const text = command === null ? undefined : args[command]
  if (typeof text !== 'string') return []
  const found = findOddCharacters(text).map(({ start, end, reason }) => `${wordAt(text, start, end)}: ${reason}`)
  return [...new Set(found)].slice(0, mostOddCharacters)
}

function wordAt(text: string, start: number, end: number): string {
  const before = /\S*$/.exec(text.slice(0, start))?.[0] ?? ''
  const after = /^\S*/.exec(text.slice(end))?.[0] ?? ''
  return `${before}${text.slice(start, end)}${after}`
}
