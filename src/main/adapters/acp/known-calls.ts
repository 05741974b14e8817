import { type ExternalCall, externalKinds } from '#core/ports/programs/external-agent.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { isText, objectsIn } from './json-parts.ts'

/** Puts together what an agent tells of each call, piece by piece. */
export interface KnownCalls {
  /**
   * What is known of the call after this piece. An update of a call that was never begun begins it. Undefined for a piece
   * without an id.
   */
  take(piece: JsonObject): ExternalCall | undefined
  all(): readonly ExternalCall[]
}

export function createKnownCalls(): KnownCalls {
  const known = new Map<string, ExternalCall>()
  return {
    all: () => [...known.values()],
    take(piece) {
      const { toolCallId: id, title, kind, status, locations, content, rawInput, rawOutput } = piece
      if (!isText(id)) return undefined
      const before = known.get(id) ?? { id, ...unknownCall }
      const parts = objectsIn(content)
      const named = [...objectsIn(locations), ...parts.filter(({ type }) => type === 'diff')]
      const paths = named.flatMap(({ path }) => (isText(path) ? [path] : []))
      const output = textIn(parts) || asText(rawOutput)
      const now: ExternalCall = {
        id,
        title: isText(title) ? title : before.title,
        kind: externalKinds.find((one) => one === kind) ?? before.kind,
        status: isEnded(before) ? before.status : (statuses.find((one) => one === status) ?? before.status),
        paths: paths.length > 0 ? [...new Set([...before.paths, ...paths])] : before.paths,
        input: isJsonObject(rawInput) && Object.keys(rawInput).length > 0 ? rawInput : before.input,
        output: output === '' ? before.output : output,
      }
      known.set(id, now)
      return now
    },
  }
}

const statuses = ['pending', 'in_progress', 'completed', 'failed'] as const
const unknownCall = { title: '', kind: 'other', status: 'pending', paths: [], input: {}, output: '' } as const

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
