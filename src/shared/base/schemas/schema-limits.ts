import { isJson, isJsonObject, type JsonObject, type JsonValue } from '../json.ts'

/** How much of a JSON Schema of a server or a caller is used. */
const schemaLimits = {
  /** Characters when written as JSON. */
  length: 200_000,
  depth: 64,
  /** References that follow each other. */
  references: 64,
  /** Schemas that together judge one value. `allOf` of `allOf` doubles them at each level. */
  together: 5_000,
  /** Schemas that a value is compared with, when each is counted as often as another one leads to it. */
  steps: 50_000,
} as const

/** Why a JSON Schema is not used. Undefined when checking a value against it takes a bounded number of steps. */
export function schemaLimit(schema: JsonValue): string | undefined {
  if (!isJson(schema, schemaLimits.depth)) return `it nests deeper than ${schemaLimits.depth} levels`
  if (JSON.stringify(schema).length > schemaLimits.length) return `it is longer than ${schemaLimits.length} characters`
  if (!isJsonObject(schema)) return undefined
  const weigh = createScale((part) => judgesOfTheSame(part, schema), schemaLimits.references * 2)
  for (const part of objectsIn(schema)) {
    const weight = weigh(part)
    if (weight === Number.POSITIVE_INFINITY) return 'it refers to itself, or along too many references'
    if (weight > schemaLimits.together) return `more than ${schemaLimits.together} of its parts judge one value`
  }
  return undefined
}

/**
 * True when a value cannot take more steps than it has parts, times a bound. A schema that contains itself and has
 * alternatives tries them again at each level.
 */
export function isQuicklyChecked(schema: JsonObject): boolean {
  if (schemaLimit(schema) !== undefined) return false
  const weigh = createScale((part) => partsOf(part, schema), schemaLimits.depth * 4)
  return weigh(schema) < schemaLimits.steps || objectsIn(schema).every((part) => lists.every((key) => !(key in part)))
}

/** Counts a schema and all that hang on it, each as often as it is met. Infinite when there is no end to them. */
function createScale(next: (part: JsonObject) => readonly JsonObject[], longest: number): (part: JsonObject) => number {
  const weights = new Map<JsonObject, number>()

  function weigh(part: JsonObject, chain: number): number {
    const known = weights.get(part)
    if (known !== undefined) return known
    if (chain > longest) return Number.POSITIVE_INFINITY
    // A schema that is met again on the way to itself has no end.
    weights.set(part, Number.POSITIVE_INFINITY)
    let weight = 1
    for (const other of next(part)) weight += weigh(other, chain + 1)
    weights.set(part, weight)
    return weight
  }

  return (part) => weigh(part, 0)
}

/** Every schema directly in a schema, and the one that it refers to. */
function partsOf(part: JsonObject, root: JsonValue): readonly JsonObject[] {
  const target = typeof part.$ref === 'string' ? targetOf(part.$ref, root) : undefined
  const inner = Object.entries(part).flatMap(([key, value]) =>
    key === '$defs' || key === 'definitions' ? [] : [value],
  )
  const values = inner.flatMap((value) => (Array.isArray(value) ? value : [value]))
  return [...values, target].filter((value): value is JsonObject => value !== undefined && isJsonObject(value))
}

const lists = ['allOf', 'anyOf', 'oneOf'] as const
const singles = ['not', 'if', 'then', 'else'] as const

function judgesOfTheSame(part: JsonObject, root: JsonValue): readonly JsonObject[] {
  const named = lists.flatMap((key) => {
    const list = part[key]
    return Array.isArray(list) ? list : []
  })
  const target = typeof part.$ref === 'string' ? targetOf(part.$ref, root) : undefined
  return [...named, ...singles.map((key) => part[key]), target].filter(
    (value): value is JsonObject => value !== undefined && isJsonObject(value),
  )
}

/** The part that a reference within the schema leads to. Undefined when there is none. */
export function targetOf(reference: string, root: JsonValue): JsonValue | undefined {
  if (!reference.startsWith('#')) return undefined
  let at: JsonValue | undefined = root
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as JsonObject)[key]
  }
  return at
}

function objectsIn(schema: JsonObject): readonly JsonObject[] {
  const found: JsonObject[] = []
  const waiting: JsonValue[] = [schema]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue
    if (isJsonObject(value)) found.push(value)
    for (const inner of Object.values(value)) waiting.push(inner)
  }
  return found
}
