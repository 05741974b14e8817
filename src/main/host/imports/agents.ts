import { looksSecret } from '#core/secrets/secrets.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { efforts } from '#shared/model/models/model-facts.ts'
import { modelFamily } from '#shared/model/models/model-family.ts'
import { isRecord } from '../extensions/front-matter.ts'
import { type Draft, leftOut, type Origin } from './draft.ts'
import { isName } from './servers.ts'

/** A type of agents as a tool defines it: the keys of its file or table, and its role. */
export interface GivenAgent {
  readonly data: Readonly<Record<string, unknown>>
  readonly prompt: string
}

/** What a tool's key becomes in a definition here. A note says what is lost or stricter. */
interface TakenKey {
  readonly keys?: Readonly<Record<string, unknown>>
  readonly note?: string
  /** Why the agent is not taken at all: without this key it could do more than there. */
  readonly refusal?: string
}

/**
 * The draft of a type of agents. Only keys that are listed here are taken, and of those only what cannot give an agent more
 * than the person's settings do: a definition of the person may start programs and lift questions, and this one is not theirs yet.
 */
export function agentDraft(origin: Origin, fallback: string, { data, prompt }: GivenAgent): Draft {
  const name = typeof data.name === 'string' && data.name.trim() !== '' ? data.name.trim() : fallback
  if (!isName(name) || name.length > 60 || name === 'main')
    return leftOut(origin, fallback, 'Its name cannot be that of an agent here.')
  const { description } = data
  if (typeof description !== 'string' || description.trim() === '')
    return leftOut(origin, name, 'It has no description, by which agents here choose it.')
  if (prompt.trim() === '') return leftOut(origin, name, 'It has no role: there is no text for the agent.')
  if (looksSecret(`${description}\n${prompt}`))
    return leftOut(origin, name, 'Its text holds what looks like a key, a token or a password.')
  const rest = Object.entries(data).filter(
    ([key, value]) => !plainKeys.has(key) && value !== null && value !== undefined,
  )
  const taken = rest.map(([key, value]) => ({ key, taken: takeKey(key, value) }))
  const unknown = taken.filter((one) => one.taken === undefined).map(({ key }) => key)
  const wider = unknown.find((key) => limits.has(key))
  const refusal =
    wider === undefined
      ? taken.find((one) => one.taken?.refusal)?.taken?.refusal
      : `Its ${wider} cannot be read, and without it the agent could do more.`
  if (refusal !== undefined) return leftOut(origin, name, refusal)
  const notes = [
    ...taken.flatMap((one) => one.taken?.note ?? []),
    ...(unknown.length === 0 ? [] : [`Not taken: ${unknown.join(', ')}.`]),
  ]
  const value = {
    name,
    description: description.trim(),
    ...joined(taken.map((one) => one.taken?.keys ?? {})),
    prompt,
  }
  return { ...origin, name, becomes: { to: 'agent', value }, notes, isWhole: notes.length === 0 }
}

const plainKeys: ReadonlySet<string> = new Set(['name', 'description', 'prompt', 'system', 'developer_instructions'])

/** Keys that say what an agent may not do. */
const limits: ReadonlySet<string> = new Set(['tools', 'disallowedTools', 'readonly', 'permission', 'permissions'])

/** What several keys say about the same tools counts together. */
function joined(parts: readonly NonNullable<TakenKey['keys']>[]): Readonly<Record<string, unknown>> {
  const all: Record<string, unknown> = {}
  for (const [key, value] of parts.flatMap(Object.entries)) {
    const before = all[key]
    all[key] =
      Array.isArray(before) && Array.isArray(value)
        ? [...new Set([...before, ...value])]
        : isRecord(before) && isRecord(value)
          ? { ...before, ...value }
          : value
  }
  return all
}

/** Undefined for a key that is not taken. */
function takeKey(key: string, value: unknown): TakenKey | undefined {
  switch (key) {
    case 'tools':
      return takeTools(value)
    case 'disallowedTools':
      return isNames(value) ? { keys: { disallowedTools: value } } : undefined
    case 'model':
      return takeModel(value)
    case 'effort':
    case 'model_reasoning_effort':
      return (efforts as readonly unknown[]).includes(value) ? { keys: { effort: value } } : undefined
    case 'temperature':
      return typeof value === 'number' && value >= 0 && value <= 2 ? { keys: { temperature: value } } : undefined
    case 'top_p':
      return typeof value === 'number' && value > 0 && value <= 1 ? { keys: { top_p: value } } : undefined
    case 'permissionMode':
      return value === 'plan' ? plan : undefined
    case 'readonly':
      return value === true ? plan : value === false ? {} : undefined
    case 'sandbox_mode':
      return value === 'read-only' ? plan : undefined
    case 'permission':
      return takePermission(value)
    case 'permissions':
      return takePermissionList(value)
    case 'mode':
      return value === 'primary' || value === 'all' || value === 'subagent' ? {} : undefined
    case 'is_background':
    case 'background':
      return value === false ? {} : undefined
    default:
      // How it is drawn, and what says nothing.
      return ['color', 'nickname_candidates', 'hidden', '$schema'].includes(key) ? {} : undefined
  }
}

const plan: TakenKey = { keys: { permissionMode: 'plan' } }

function isNames(value: unknown): value is string | readonly string[] {
  return typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'))
}

/** A list, or an object of names with true or false. */
function takeTools(value: unknown): TakenKey | undefined {
  if (isNames(value)) return { keys: { tools: value } }
  if (!isRecord(value) || !Object.values(value).every((one) => typeof one === 'boolean')) return undefined
  const off = Object.keys(value).filter((name) => value[name] === false)
  if (off.some((name) => name.includes('*')))
    return {
      refusal: `The patterns ${off.filter((name) => name.includes('*')).join(', ')} of its tools have no equal here, and without them the agent could do more.`,
    }
  return off.length === 0 ? {} : { keys: { disallowedTools: off } }
}

function takeModel(value: unknown): TakenKey | undefined {
  if (typeof value !== 'string') return undefined
  if (/^(inherit|default)?$/i.test(value.trim())) return {}
  if (modelFamily(value.trim()) !== null) return { keys: { model: value.trim() } }
  return { note: `Its model ${value.slice(0, 80)} is not taken: it gets the model of the agent that starts it.` }
}

/** Actions of OpenCode, with our tool and what denying each is here. */
const actions: ReadonlyMap<string, { readonly tool: string; readonly deny: NonNullable<TakenKey['keys']> }> = new Map(
  (
    [
      ['edit', 'edit_file', { permissionMode: 'plan' }],
      ['bash', 'execute', { disallowedTools: ['Bash'] }],
      ['shell', 'execute', { disallowedTools: ['Bash'] }],
      ['webfetch', 'fetch_url', { disallowedTools: ['WebFetch'] }],
      ['task', 'task', { disallowedTools: ['Task'] }],
      ['subagent', 'task', { disallowedTools: ['Task'] }],
      ['read', 'read_file', { disallowedTools: ['Read'] }],
      ['glob', 'glob', { disallowedTools: ['Glob'] }],
      ['grep', 'grep', { disallowedTools: ['Grep'] }],
      ['list', 'ls', { disallowedTools: ['LS'] }],
    ] as const
  ).map(([action, tool, deny]) => [action, { tool, deny }]),
)
const asksForEdits = ['edit_file', 'write_file', 'multi_edit', 'delete', 'move']

/** `permission` of OpenCode: by action one word, or words by patterns. What allows is not taken; it lifts no question here. */
function takePermission(value: unknown): TakenKey | undefined {
  if (!isJsonObject(value)) return undefined
  const parts = Object.entries(value as JsonObject).map(([action, given]) => permissionPart(action, given))
  return { keys: joined(parts.map(({ keys }) => keys ?? {})), ...noteOf(parts) }
}

function noteOf(parts: readonly TakenKey[]): Pick<TakenKey, 'note' | 'refusal'> {
  const notes = parts.flatMap(({ note }) => note ?? [])
  const refusal = parts.find((one) => one.refusal !== undefined)?.refusal
  return { ...(notes.length > 0 && { note: notes.join(' ') }), ...(refusal !== undefined && { refusal }) }
}

function permissionPart(action: string, given: JsonValue): TakenKey {
  if (given === 'allow') return {}
  if (action.includes('*'))
    return {
      refusal: `Its permission for ${JSON.stringify(action)} has no equal here, and without it the agent could do more.`,
    }
  const known = actions.get(action)
  const left = { note: `Not taken: its permission for ${action.slice(0, 60)}.` }
  if (known === undefined) return left
  const asks = {
    interrupt_on: Object.fromEntries((action === 'edit' ? asksForEdits : [known.tool]).map((tool) => [tool, true])),
  }
  if (given === 'deny') return { keys: known.deny }
  if (given === 'ask') return { keys: asks }
  if (!isJsonObject(given)) return left
  if (Object.values(given).every((one) => one === 'allow')) return {}
  if (Object.values(given).every((one) => one === 'deny')) return { keys: known.deny }
  return { keys: asks, note: `Its permission for ${action} has patterns; here every such call asks.` }
}

/** `permissions` of OpenCode 2: a list in which the last rule that fits counts. */
function takePermissionList(value: unknown): TakenKey | undefined {
  if (!Array.isArray(value) || !value.every(isJsonObject)) return undefined
  const byAction = Map.groupBy(value as readonly JsonObject[], ({ action }) => String(action))
  const parts = [...byAction].map(([action, rules]) =>
    permissionPart(action, Object.fromEntries(rules.map(({ resource, effect }) => [String(resource), effect ?? null]))),
  )
  return { keys: joined(parts.map(({ keys }) => keys ?? {})), ...noteOf(parts) }
}
