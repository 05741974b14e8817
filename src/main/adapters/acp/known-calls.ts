import { type ExternalCall, externalKinds } from '#core/ports/programs/external-agent.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { isText, objectsIn } from './json-parts.ts'

/** Puts together what an agent tells of each call, piece by piece. */
export interface KnownCalls {
  /**
   * What is known of the call after this piece. An update of a call that was never begun begins it. Undefined for a piece
   * without an id, and for one that comes after the end of its call.
   */
  take(piece: JsonObject): ExternalCall | undefined
  /** Those of this turn. */
  all(): readonly ExternalCall[]
  /** Another turn begins, in which the agent may use the same ids for other calls. */
  forgetTurn(): void
}

export function createKnownCalls(): KnownCalls {
  /** By the agent's ids. */
  let newest = new Map<string, ExternalCall>()
  let all = new Map<string, ExternalCall>()
  const past = new Set<string>()
  let begun = 0
  return {
    all: () => [...all.values()],
    forgetTurn() {
      for (const id of newest.keys()) past.add(id)
      newest = new Map()
      all = new Map()
    },
    take(piece) {
      const { toolCallId, title, kind, status, locations, content, rawInput, rawOutput } = piece
      if (!isText(toolCallId)) return undefined
      const last = newest.get(toolCallId)
      const isOver = last ? isEnded(last) : past.has(toolCallId)
      if (isOver && isLate(piece, last)) return undefined
      const before = last && !isOver ? last : { id: String(++begun), ...unknownCall }
      const parts = objectsIn(content)
      const named = [...objectsIn(locations), ...parts.filter(({ type }) => type === 'diff')]
      const paths = named.flatMap(({ path }) => (isText(path) ? [path] : []))
      const output = textIn(parts) || asText(rawOutput)
      const now: ExternalCall = {
        id: before.id,
        title: isText(title) ? title : before.title,
        kind: externalKinds.find((one) => one === kind) ?? before.kind,
        status: statuses.find((one) => one === status) ?? before.status,
        paths: paths.length > 0 ? [...new Set([...before.paths, ...paths])] : before.paths,
        input: isJsonObject(rawInput) && Object.keys(rawInput).length > 0 ? rawInput : before.input,
        output: output === '' ? before.output : output,
      }
      newest.set(toolCallId, now)
      all.set(now.id, now)
      return now
    },
  }
}

const statuses = ['pending', 'in_progress', 'completed', 'failed'] as const
const unknownCall = { title: '', kind: 'other', status: 'pending', paths: [], input: {}, output: '' } as const

/**
 * Whether a piece with the id of a call that is over tells of that one. Agents use an id again, and some never announce a
 * call: an update that names one that goes on is of another one in another turn.
 */
function isLate({ sessionUpdate, title, status }: JsonObject, last: ExternalCall | undefined): boolean {
  if (sessionUpdate !== 'tool_call_update') return false
  return last !== undefined || !isText(title) || (status !== 'pending' && status !== 'in_progress')
}

function isEnded({ status }: Pick<ExternalCall, 'status'>): boolean {
  return status === 'completed' || status === 'failed'
}

/** A difference is not shown: what the call really changed is read from the files. */
function textIn(parts: readonly JsonObject[]): string {
  return parts
    .flatMap(({ type, content }) =>
      type === 'content' && isJsonObject(content) && isText(content.text) ? [content.text] : [],
    )
    .join('\n')
    .replace(/^```\w*\n([\s\S]*?)\n?```$/, '$1')
}

function asText(output: JsonValue | undefined): string {
  if (output === undefined || output === null) return ''
  if (!isJsonObject(output)) return typeof output === 'string' ? output : JSON.stringify(output)
  return [output.output, output.stdout, output.content].find(isText) ?? JSON.stringify(output)
}
