import type { JsonObject } from '../base/json.ts'
import { isGrantable } from '../base/reach/local-reach.ts'
import {
  type ActionRequest,
  type Decision,
  type DecisionType,
  type Interrupt,
  namedHosts,
  type OfferedAnswer,
  type WorkMode,
} from '../model/calls/interrupt.ts'
import type { CallEffects } from '../model/calls/outcome.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import { findOddCharacters } from '../text/odd-characters.ts'
import { singleQuestion } from './questions.ts'
import { accessOf, findToolFacts } from './tool-facts.ts'

/**
 * The approval card, without its looks: what a request offers and which decision an answer is. The window and the terminal
 * draw it as *header, change, output, actions*.
 */

/**
 * Milliseconds before the keys of a new card work, so that nobody approves a card that just appeared under the finger.
 */
export const armingDelay = 400

/** A request whose call was tried already: nothing of what it did counts before a person keeps it. */
export type TriedRequest = ActionRequest & { readonly effects: CallEffects }

export function wasTried(request: ActionRequest): request is TriedRequest {
  return request.effects !== undefined
}

/** What a person may answer to a request. */
export function allowedDecisions(interrupt: Interrupt, request: ActionRequest): readonly DecisionType[] {
  return (
    interrupt.review_configs.find(({ callId }) => callId === request.callId)?.allowed_decisions ?? ['approve', 'reject']
  )
}

/** The kind of card a request needs: does a call count, a plan, a question of the agent, or how did a cut call end. */
export function cardKind(interrupt: Interrupt, request: ActionRequest): 'approval' | 'plan' | 'question' | 'end' {
  const allowed = allowedDecisions(interrupt, request)
  if (findToolFacts(request.name).isPlan) return 'plan'
  if (allowed.includes('run_again')) return 'end'
  return allowed.includes('respond') ? 'question' : 'approval'
}

export function isCommand({ name }: Pick<ActionRequest, 'name'>): boolean {
  return findToolFacts(name).access.command !== null
}

/** Whether the arguments of a call say which files it changes, as those of `edit_file` do and those of code do not. */
export function editsFiles({ name }: Pick<ActionRequest, 'name'>): boolean {
  return findToolFacts(name).access.writes.length > 0
}

/** Whether an edit of a tried call runs it and shows it again. What an edited change of files does is shown beforehand. */
export function runsAgain(request: ActionRequest): request is TriedRequest {
  return wasTried(request) && !editsFiles(request)
}

/** Whether a command failed, so that it should rather be edited than kept. Nobody is asked about an edit that fails. */
export function hasFailed({ name, effects }: TriedRequest): boolean {
  return isCommand({ name }) && effects.exit_code !== 0
}

/** Whether a card shows the output of a tried call: a change of files says all by its diff, unless there is none. */
export function showsOutput(request: TriedRequest): boolean {
  return !editsFiles(request) || changedFiles(request.effects).length === 0
}

/**
 * What a person can do with a card. `approve` is *Keep* for a tried call. `allow` approves the call and adds a rule, so that
 * similar calls no longer ask. `some` chooses the files of a tried call that are kept.
 */
export type CardAction = 'approve' | 'edit' | 'reject' | 'allow' | 'some'

/**
 * The actions of a card. An edited call can be approved if edits are allowed, even if the original cannot. A single file
 * cannot be kept in part.
 */
export function availableActions(
  interrupt: Interrupt,
  request: ActionRequest,
  editing: boolean,
): ReadonlySet<CardAction> {
  const allowed = new Set(allowedDecisions(interrupt, request))
  const approve = allowed.has('approve')
  const asShown = approve && !editing
  return new Set([
    ...(approve || (editing && allowed.has('edit')) ? (['approve'] as const) : []),
    ...(allowed.has('edit') ? (['edit'] as const) : []),
    ...(allowed.has('reject') ? (['reject'] as const) : []),
    ...(asShown && wasTried(request) && changedFiles(request.effects).length > 1 ? (['some'] as const) : []),
    ...(asShown && request.allowable !== false ? (['allow'] as const) : []),
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

/** The arguments as they are edited; null if the text is not a JSON object. */
export function argumentsIn(request: ActionRequest, draft: Draft): JsonObject | null {
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

interface Said {
  /** For a plan: the mode in which it is carried out; null or absent for the mode that there is. */
  readonly mode?: WorkMode | null
  /** The hosts that the call may reach. */
  readonly granted?: readonly string[]
  /** Goes to the agent with the result. */
  readonly message?: string
  /** The files of a tried call that are kept, by path; null for all of them. */
  readonly kept?: readonly string[] | null
}

/**
 * The decision that approves what a card shows: the original call, or the edited one if the edit changed something. A tried
 * call is kept, in whole or in part. A tried command, or code, that a person edits or gives hosts runs again and is shown
 * again. Null if the edit is not valid, or if no file is left to keep.
 */
export function approval(
  request: ActionRequest,
  draft: Draft | null,
  { granted = [], message = '', kept = null, mode = null }: Said = {},
): Decision | null {
  const { callId } = request
  const words = message.trim()
  const said = {
    ...(granted.length > 0 && { hosts: granted }),
    ...(words && { message: words }),
    ...(mode && { mode }),
  }
  const again = runsAgain(request) && (draft !== null || granted.length > 0)
  if (again || (draft !== null && draft.text !== draftOf(request).text)) {
    const args = draft === null ? request.args : argumentsIn(request, draft)
    return args && { type: 'edit', callId, args, ...said, ...(again && { hold: true }) }
  }
  const files = wasTried(request) ? changedFiles(request.effects) : []
  const chosen = kept === null ? files : files.filter(({ path }) => kept.includes(path))
  if (chosen.length === files.length) return { type: 'approve', callId, ...said }
  if (chosen.length === 0) return null
  const paths = chosen.flatMap(({ path, from }) => (from === null ? [path] : [from, path]))
  return { type: 'approve', callId, ...said, paths }
}

/** The decision that rejects a call, or drops what it did, with a reason for the agent unless it is blank. */
export function rejection(request: ActionRequest, reason: string): Decision {
  const message = reason.trim()
  return { type: 'reject', callId: request.callId, ...(message && { message }) }
}

/** The decision that tells an external agent the answer that it offers itself, with the words that were typed beside it. */
export function answering({ callId }: ActionRequest, { id, allows }: OfferedAnswer, words = ''): Decision {
  const message = words.trim()
  return { type: allows ? 'approve' : 'reject', callId, answer: id, ...(message && { message }) }
}

/** A file that a tried call changed, as a person chooses it. */
export interface ChangedFile {
  readonly path: VirtualPath
  /** Where a renamed file was before; null for other changes. */
  readonly from: VirtualPath | null
  readonly kind: 'written' | 'deleted' | 'renamed'
}

const byName = new Intl.Collator('en', { numeric: true })

/** The files that a tried call changed: the deleted ones first, so that no list hides them, then by path. */
export function changedFiles({ changes: { written, deleted, renamed } }: CallEffects): readonly ChangedFile[] {
  const moved = new Set(renamed.flatMap(({ from, to }) => [from, to]))
  const alone = (kind: 'written' | 'deleted', paths: readonly VirtualPath[]): readonly ChangedFile[] =>
    paths.filter((path) => !moved.has(path)).map((path) => ({ path, from: null, kind }))
  const files: readonly ChangedFile[] = [
    ...alone('written', written),
    ...alone('deleted', deleted),
    ...renamed.map(({ from, to }) => ({ path: to, from, kind: 'renamed' as const })),
  ]
  const rank = ({ kind }: ChangedFile): number => (kind === 'deleted' ? 0 : 1)
  return files.toSorted((one, other) => rank(one) - rank(other) || byName.compare(one.path, other.path))
}

/** The answers that can be given at once; empty for a question that is answered in words, and for several questions. */
export function optionsOf({ args }: Pick<ActionRequest, 'args'>): readonly string[] {
  return singleQuestion(args)?.options.map(({ label }) => label) ?? []
}

/** The hosts of the addresses in a command. */
export function findHosts({ name, args }: ActionRequest): readonly string[] {
  const { command } = accessOf(findToolFacts(name).access, args)
  return namedHosts(command ?? '')
}

/** What the sandbox refused and a person can grant: hosts, and ports and sockets of this machine. */
export function grantableHosts({ hosts_refused: refused }: CallEffects): readonly string[] {
  return [...new Set(refused)].filter(isGrantable)
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
