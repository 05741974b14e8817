import type { JsonObject } from '#shared/base/json.ts'
import {
  type ActionRequest,
  type Decision,
  type DecisionType,
  grantableHost,
  type Interrupt,
} from '#shared/model/interrupt.ts'

/** Milliseconds before a button of a new card can be pressed: nobody approves what appeared under the finger. */
export const armingDelay = 400

export function allowedDecisions(interrupt: Interrupt, request: ActionRequest): readonly DecisionType[] {
  return (
    interrupt.review_configs.find(({ callId }) => callId === request.callId)?.allowed_decisions ?? ['approve', 'reject']
  )
}

/** What the person is asked: whether a call may run, what the agent wants to know, or what became of a call. */
export function cardKind(interrupt: Interrupt, request: ActionRequest): 'approval' | 'question' | 'outcome' {
  const allowed = allowedDecisions(interrupt, request)
  if (allowed.includes('run_again')) return 'outcome'
  return allowed.includes('respond') ? 'question' : 'approval'
}

/** What a person can do with a card; `allow` approves it and sets a rule, so that calls like it no longer ask. */
export type CardAction = 'approve' | 'edit' | 'reject' | 'allow'

/** What is edited can be approved where edits are allowed, even when the call as it was asked for cannot. */
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
    ...(approve && !editing ? (['allow'] as const) : []),
  ])
}

/** What a key means on a focused card; null while it is not armed, or when somebody types in the card. */
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

/** Calls whose one text argument is edited as text, not as JSON. */
const textArguments: Readonly<Record<string, string>> = {
  execute: 'command',
  run_js_code: 'code',
  run_python_code: 'code',
}

export interface Draft {
  /** The argument that is edited as plain text; null when all are edited as JSON. */
  readonly argument: string | null
  readonly text: string
}

export function draftOf({ name, args }: ActionRequest): Draft {
  const argument = textArguments[name]
  const value = argument === undefined ? undefined : args[argument]
  if (argument !== undefined && typeof value === 'string') return { argument, text: value }
  return { argument: null, text: JSON.stringify(args, null, 2) }
}

/** The arguments as edited, or null when the text is no JSON object. */
function editedArguments(request: ActionRequest, draft: Draft): JsonObject | null {
  if (draft.argument !== null) return { ...request.args, [draft.argument]: draft.text }
  try {
    const value: unknown = JSON.parse(draft.text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

/** `JSON.parse` makes nothing but JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Hosts as a person writes them, with commas or spaces between; null when one of them is none. */
export function hostsIn(text: string): readonly string[] | null {
  const hosts = text.split(/[\s,]+/).filter(Boolean)
  return hosts.every((host) => grantableHost.test(host)) ? [...new Set(hosts)] : null
}

/** Hosts whose addresses stand in a command. */
export function findHosts({ name, args }: ActionRequest): readonly string[] {
  if (name !== 'execute' || typeof args.command !== 'string') return []
  const found = [...args.command.matchAll(/\b(?:https?|git|ssh):\/\/(?:[^\s/@'"]*@)?([\w.-]+(?::\d+)?)/g)]
  return [...new Set(found.flatMap(([, host]) => (host && grantableHost.test(host) ? [host] : [])))]
}

/** Approves what is shown: the call as asked for, or as edited when the edit changed something. */
export function approval(
  request: ActionRequest,
  draft: Draft | null,
  granted: readonly string[] = [],
): Decision | null {
  const hosts = granted.length > 0 ? { hosts: granted } : {}
  const unchanged: Decision = { type: 'approve', callId: request.callId, ...hosts }
  if (!draft || draft.text === draftOf(request).text) return unchanged
  const args = editedArguments(request, draft)
  return args && { type: 'edit', callId: request.callId, args, ...hosts }
}

export function rejection(request: ActionRequest, reason: string): Decision {
  const message = reason.trim()
  return { type: 'reject', callId: request.callId, ...(message && { message }) }
}

/** Those that *Approve all* covers: a call of high risk is decided on its own. */
export function approvableAtOnce(interrupt: Interrupt, requests: readonly ActionRequest[]): readonly ActionRequest[] {
  return requests.filter(
    (request) => request.risk !== 'high' && allowedDecisions(interrupt, request).includes('approve'),
  )
}

/** The whole of a request in one line, for the inbox. */
export function summaryOf({ name, args }: ActionRequest): string {
  const first = args.command ?? args.file_path ?? args.path ?? args.question ?? args.code
  const line = typeof first === 'string' ? first.trim().split('\n', 1)[0] : ''
  return line ? `${name} ${line}` : name
}
