import { isJson, isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'

/**
 * Fields that a maker attaches to its replies and wants back unchanged with the same message or call: proofs, sealed
 * thoughts, details of reasoning. Makers name them as they like, so they are told by what their names have in common.
 */
export const attachedName =
  /signature|extra_content|reasoning_|thinking_|thought_|_details|provider_specific|opaque|encrypted/i

/** Fields that carry the thoughts as text, which are read by themselves. */
const thoughtNames: ReadonlySet<string> = new Set(['reasoning_content', 'reasoning_text', 'thinking_content'])

const mostDepth = 100

/** The fields of a message, a call or its function that its maker wants back. Null for none. */
export function attachedIn(sent: unknown): JsonObject | null {
  if (!isJsonObject(sent)) return null
  const fields = Object.entries(sent).filter(
    ([key, value]) => attachedName.test(key) && !thoughtNames.has(key) && value !== null && isJson(value, mostDepth),
  )
  return fields.length === 0 ? null : Object.fromEntries(fields)
}

/** What is attached after one more piece. Lists grow, texts of one element too, and the newest of everything else counts. */
export function joinAttached(before: JsonObject | null, next: JsonObject | null): JsonObject | null {
  if (before === null || next === null) return before ?? next
  const joined = Object.entries(next).map(([key, value]): [string, JsonValue] => {
    const known = Object.hasOwn(before, key) ? before[key] : undefined
    return [key, Array.isArray(known) && Array.isArray(value) ? value.reduce(withPiece, known) : value]
  })
  return { ...before, ...Object.fromEntries(joined) }
}

/** Texts that come in pieces, as their elements name them. */
const grownTexts = ['text', 'summary', 'data', 'thinking'] as const

/** A list with one more element, or with its last one continued: the same kind under the same index. */
function withPiece(list: readonly JsonValue[], piece: JsonValue): readonly JsonValue[] {
  const last = list.at(-1)
  if (!isJsonObject(last) || !isJsonObject(piece) || piece.index === undefined) return [...list, piece]
  if (last.index !== piece.index || (piece.type ?? last.type) !== last.type) return [...list, piece]
  const said = Object.entries(piece).filter(([, value]) => value !== null)
  const grown = grownTexts.flatMap((key): [string, string][] => {
    const [start, rest] = [last[key], piece[key]]
    return typeof start === 'string' && typeof rest === 'string' ? [[key, start + rest]] : []
  })
  return [...list.slice(0, -1), { ...last, ...Object.fromEntries(said), ...Object.fromEntries(grown) }]
}
