import type { JsonObject } from '../base/json.ts'
import { type ActionRequest, type Decision, type DecisionType, type Interrupt, namedHosts } from '../model/interrupt.ts'
import { findOddCharacters } from '../text/odd-characters.ts'
import { accessOf, findToolFacts } from './tool-facts.ts'

/**
 * Milliseconds before the keys of a new card work, so that nobody approves a card that just appeared under the finger.
 */
export const armingDelay = 400

/** What a person may answer to a request. */
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

/**
 * What a person can do with a card. `allow` approves the call and adds a rule, so that similar calls no longer ask. `some`
 * chooses the files of a held call that are kept.
 */
export type CardAction = 'approve' | 'edit' | 'reject' | 'allow' | 'some'

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

/** A call as a person edits it. */
export interface Draft {
  /** The argument that is edited as plain text; null if all are edited as JSON. */
  readonly argument: string | null
  readonly text: string
}

/** What an editor begins with. */
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

/** The decision that rejects a call, with a reason for the agent unless it is blank. */
export function rejection(request: ActionRequest, reason: string): Decision {
  const message = reason.trim()
  return { type: 'reject', callId: request.callId, ...(message && { message }) }
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
