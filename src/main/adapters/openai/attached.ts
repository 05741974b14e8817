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

/**
 * True for an id of a call that other makers refuse. Its own maker may read it – `functions.ls:0` counts the calls, others
 * keep a proof in it – so it is attached to the call, as `id`.
 */
export function isOddId(id: string): boolean {
  return id !== '' && !/^[\w-]{1,40}$/.test(id)
}

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
    return [key, Array.isArray(known) && Array.isArray(value) ? value.reduce(withPiece(value[0]), known) : value]
  })
  return { ...before, ...Object.fromEntries(joined) }
}

/** Texts that come in pieces, as their elements name them. */
const grownTexts = ['text', 'summary', 'data', 'thinking'] as const

/** Adds an element to a list, or continues the one that it is a piece of. `first`: the first element of its delta. */
function withPiece(first: JsonValue | undefined) {
  return (list: readonly JsonValue[], piece: JsonValue): readonly JsonValue[] => {
    const at = isJsonObject(piece)
      ? list.findLastIndex((one, index) => isBefore(one, piece, index === list.length - 1))
      : -1
    const known = list[at]
    if (!isJsonObject(piece) || !isJsonObject(known) || (piece.type ?? known.type) !== known.type)
      return [...list, piece]
    // Without an index, only what is still unsigned goes on. Elements of one delta are apart.
    if (piece.index === undefined && (piece !== first || !isUnsigned(known, piece))) return [...list, piece]
    const said = Object.entries(piece).filter(([, value]) => value !== null)
    const grown = grownTexts.flatMap((key): [string, string][] => {
      const [start, rest] = [known[key], piece[key]]
      return typeof start === 'string' && typeof rest === 'string' ? [[key, start + rest]] : []
    })
    return list.with(at, { ...known, ...Object.fromEntries(said), ...Object.fromEntries(grown) })
  }
}

/** Whether a piece may continue the element: the last one of its index, or the last one where there is none. */
function isBefore(one: JsonValue, piece: JsonObject, isLast: boolean): boolean {
  return isJsonObject(one) && one.index === piece.index && (piece.index !== undefined || isLast)
}

/** True for thoughts that a maker signs, in pieces of which none had the signature yet. */
function isUnsigned(known: JsonObject, piece: JsonObject): boolean {
  const isSigned = typeof known.signature === 'string' && known.signature !== ''
  const isSignable = [known, piece].some((one) => typeof one.thinking === 'string' || 'signature' in one)
  return isSignable && !isSigned && (piece.id ?? known.id) === known.id
}
