import type { AgentCommand, AgentUpdate, PlanStep } from '#core/ports/programs/external-agent.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { isText, objectsIn } from './json-parts.ts'
import type { KnownCalls } from './known-calls.ts'

/**
 * What an update of a session says in our words. Agents are ahead of the protocol or behind it, so each part is read as far as
 * it can be, and a piece that is not understood costs nothing else. Empty for what nobody needs.
 */
export function readUpdate(update: JsonObject, calls: KnownCalls): readonly AgentUpdate[] {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      return said('text', update.content)
    case 'agent_thought_chunk':
      return said('thinking', update.content)
    case 'tool_call':
    case 'tool_call_update': {
      const call = calls.take(update)
      return call ? [{ type: 'call', call }] : []
    }
    case 'plan':
      return [{ type: 'plan', steps: objectsIn(update.entries).flatMap(stepIn) }]
    case 'usage_update': {
      const { used, size, cost } = update
      if (typeof used !== 'number' || typeof size !== 'number') return []
      const isDollars = isJsonObject(cost) && cost.currency === 'USD' && typeof cost.amount === 'number'
      return [{ type: 'usage', used: toCount(used), size: toCount(size), cost: isDollars ? Number(cost.amount) : null }]
    }
    case 'notice':
      return [{ type: 'notice', text: [update.title, update.description].filter(isText).join(': ') }]
    default:
      return []
  }
}

/**
 * One update that says as much as two behind each other, so that an agent that tells faster than it is heard fills neither
 * memory nor journal. Null where both count: each state of a call is one.
 */
export function joinUpdates(last: AgentUpdate, next: AgentUpdate): AgentUpdate | null {
  if ((last.type === 'text' || last.type === 'thinking') && next.type === last.type)
    return { ...next, text: last.text + next.text }
  if (last.type === 'call' && next.type === 'call')
    return last.call.id === next.call.id && last.call.status === next.call.status ? next : null
  const isNewest = next.type === 'plan' || next.type === 'usage'
  return isNewest && last.type === next.type ? next : null
}

/** The commands of an update that lists them. Undefined for any other. */
export function readCommands(update: JsonObject): readonly AgentCommand[] | undefined {
  if (update.sessionUpdate !== 'available_commands_update') return undefined
  return objectsIn(update.availableCommands).flatMap(({ name, description }) =>
    isText(name) ? [{ name, description: isText(description) ? description : '' }] : [],
  )
}

function said(type: 'text' | 'thinking', content: JsonValue | undefined): readonly AgentUpdate[] {
  if (!isJsonObject(content)) return []
  const { type: kind, text, name, uri } = content
  if (kind === 'text') return isText(text) ? [{ type, text }] : []
  if (kind === 'resource_link' && isText(uri)) return [{ type, text: `[${isText(name) ? name : uri}](${uri})` }]
  return isText(kind) ? [{ type, text: `[${kind}]` }] : []
}

function toCount(given: number): number {
  return Math.min(Math.max(Math.round(given), 0), Number.MAX_SAFE_INTEGER)
}

function stepIn({ content, status }: JsonObject): readonly PlanStep[] {
  if (!isText(content)) return []
  return [{ content, status: status === 'in_progress' || status === 'completed' ? status : 'pending' }]
}
