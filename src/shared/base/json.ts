export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject
export type JsonObject = { readonly [key: string]: JsonValue }

/**
 * True for a value that JSON can hold, with at most `maxDepth` arrays and objects inside each other. It does not call
 * itself, so no input exhausts the stack.
 */
export function isJson(value: unknown, maxDepth = Number.POSITIVE_INFINITY): value is JsonValue {
  const open: (readonly [value: unknown, depth: number])[] = [[value, 0]]
  for (let next = open.pop(); next; next = open.pop()) {
    const [item, depth] = next
    if (typeof item === 'number' ? !Number.isFinite(item) : !isPlain(item)) return false
    if (typeof item !== 'object' || item === null) continue
    if (depth === maxDepth) return false
    for (const inner of Object.values(item)) open.push([inner, depth + 1])
  }
  return true
}

/** True for a parsed JSON value that is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null || ['string', 'boolean'].includes(typeof value)
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

/** The list or object that a whole text is in JSON. Undefined for any other text, a single number or word too. */
export function structureIn(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
