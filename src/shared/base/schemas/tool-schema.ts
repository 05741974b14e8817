import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { targetOf } from './schema-limits.ts'

/** A schema of arguments as every maker takes it. */
export interface OfferedSchema {
  readonly schema: JsonObject
  /** Keys that were renamed, by their new name. */
  readonly renamed: ReadonlyMap<string, string>
}

/**
 * The schema as one object, because makers refuse a whole request for a tool whose schema is a reference or a choice at
 * its root, has a key outside their pattern, or null where a schema stands. What the folded schema says less is checked
 * by whoever carries the call out. A schema that every maker takes comes back equal.
 */
export function offerSchema(given: JsonObject): OfferedSchema {
  const names = createNames(given)
  const cleaned = cleanSchema(foldRoot(given, given, mostFolds), names.of)
  const { properties } = cleaned
  const { type: _, ...rest } = cleaned
  const schema = cleaned.type === 'object' ? cleaned : { type: 'object', ...rest }
  const isComplete = properties === undefined || isJsonObject(properties)
  return { schema: isComplete ? schema : { ...schema, properties: {} }, renamed: names.renamed }
}

/** The arguments under the keys that the tool itself has. */
export function withOwnKeys<Value extends JsonValue>(value: Value, renamed: OfferedSchema['renamed']): Value {
  return renamed.size === 0 ? value : (rename(value, renamed) as Value)
}

function rename(value: JsonValue, renamed: OfferedSchema['renamed']): JsonValue {
  if (Array.isArray(value)) return value.map((one) => rename(one, renamed))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [renamed.get(key) ?? key, rename(one, renamed)]))
}

/** References and choices that are followed at the root. */
const mostFolds = 64

const choices = ['allOf', 'anyOf', 'oneOf'] as const
/** What else a root may not say, and what says nothing once the root is one object. */
const notAtRoot: ReadonlySet<string> = new Set([...choices, '$ref', 'not', 'enum', 'const', 'if', 'then', 'else'])

/** The schema without references and choices at its root: it has the properties of all of them. */
function foldRoot(schema: JsonObject, root: JsonObject, left: number): JsonObject {
  if (left === 0 || !Object.keys(schema).some((key) => notAtRoot.has(key))) return schema
  const own = Object.fromEntries(Object.entries(schema).filter(([key]) => !notAtRoot.has(key)))
  const fold = (part: JsonValue | undefined) => objectsOf(part).map((one) => foldRoot(one, root, left - 1))
  const target = typeof schema.$ref === 'string' ? targetOf(schema.$ref, root) : undefined
  const all = [own, ...fold(target), ...fold(schema.allOf)]
  const either = choices.slice(1).map((key) => fold(schema[key]))
  const optional = [...fold(schema.then), ...fold(schema.else)]
  const properties = [...all, ...either.flat(), ...optional].flatMap((part) =>
    isJsonObject(part.properties) ? Object.entries(part.properties) : [],
  )
  const required = new Set([
    ...all.flatMap(requiredIn),
    ...either.flatMap(([first, ...others]) =>
      first ? requiredIn(first).filter((key) => others.every((part) => requiredIn(part).includes(key))) : [],
    ),
  ])
  const [described] = [...all, ...either.flat()].flatMap(({ description }) => description ?? [])
  return {
    ...Object.assign({}, ...all.slice(1).map(({ $defs, definitions }) => present({ $defs, definitions }))),
    ...own,
    ...(described !== undefined && { description: described }),
    type: 'object',
    properties: joinProperties(properties),
    ...(required.size > 0 && { required: [...required] }),
  }
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  const list = Array.isArray(value) ? value : value === undefined ? [] : [value]
  return list.filter(isJsonObject)
}

function present(record: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(record).flatMap(([key, value]) => (value == null ? [] : [[key, value]])))
}

function requiredIn({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? required.filter((key) => typeof key === 'string') : []
}

/** A property that several parts have may be what any of them says. */
function joinProperties(properties: readonly (readonly [string, JsonValue])[]): JsonObject {
  const joined = new Map<string, JsonValue[]>()
  for (const [key, schema] of properties) {
    const known = joined.get(key) ?? []
    if (known.every((one) => JSON.stringify(one) !== JSON.stringify(schema))) known.push(schema)
    joined.set(key, known)
  }
  return Object.fromEntries(
    [...joined].map(([key, [first = {}, ...others]]) => [
      key,
      others.length === 0 ? first : { anyOf: [first, ...others] },
    ]),
  )
}

/** Keys whose values are schemas by name, and keys whose values are schemas or lists of them. */
const namedSchemas: ReadonlySet<string> = new Set(['$defs', 'definitions', 'patternProperties', 'dependentSchemas'])
const innerSchemas: ReadonlySet<string> = new Set([
  ...choices,
  ...['items', 'prefixItems', 'additionalItems', 'additionalProperties', 'contains', 'propertyNames'],
  ...['not', 'if', 'then', 'else', 'unevaluatedItems', 'unevaluatedProperties'],
])
/** Keys whose value may be null. */
const anyValue: ReadonlySet<string> = new Set(['default', 'const', 'examples', 'example', 'enum'])

type NameOf = (key: string) => string

function cleanSchema(schema: JsonObject, nameOf: NameOf): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, JsonValue][] => {
    if (isNothing(value) && !anyValue.has(key)) return []
    if (key === 'properties') return isJsonObject(value) ? [[key, cleanNamed(value, nameOf, nameOf)]] : []
    if (key === 'required') return Array.isArray(value) ? [[key, [...new Set(requiredIn(schema))].map(nameOf)]] : []
    if (namedSchemas.has(key)) return isJsonObject(value) ? [[key, cleanNamed(value, nameOf)]] : []
    if (anyValue.has(key)) return [[key, value]]
    return [[key, innerSchemas.has(key) ? cleanInner(value, nameOf) : withoutNull(value)]]
  })
  return Object.fromEntries(entries)
}

/** Null, and a number that is too large to be one: JSON writes null for it. */
function isNothing(value: JsonValue): boolean {
  return value === null || (typeof value === 'number' && !Number.isFinite(value))
}

/** Null within a key that holds no values, such as `"type": ["string", null]` or a key of somebody's own. */
function withoutNull(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.filter((one) => !isNothing(one)).map(withoutNull)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) =>
      isNothing(one) ? [] : [[key, anyValue.has(key) ? one : withoutNull(one)]],
    ),
  )
}

function cleanNamed(schemas: JsonObject, nameOf: NameOf, keyOf: NameOf = (key) => key): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([key, one]) => [keyOf(key), cleanInner(one, nameOf)]))
}

function cleanInner(value: JsonValue, nameOf: NameOf): JsonValue {
  if (Array.isArray(value)) return value.map((one) => cleanInner(one, nameOf))
  if (isJsonObject(value)) return cleanSchema(value, nameOf)
  return typeof value === 'boolean' ? value : {}
}

/** Keys as one maker takes them. The others take any. */
const takenKey = /^[a-zA-Z0-9_.-]{1,64}$/

/** New names for the keys that are not taken, none of which another key has. */
function createNames(schema: JsonObject): { readonly of: NameOf; readonly renamed: ReadonlyMap<string, string> } {
  const renamed = new Map<string, string>()
  const known = new Map<string, string>()
  const used = propertyNames(schema)
  const isFree = (name: string): boolean => !used.has(name) && !renamed.has(name)
  return {
    renamed,
    of(key) {
      if (takenKey.test(key)) return key
      const before = known.get(key)
      if (before !== undefined) return before
      const plain = key.replace(/[^a-zA-Z0-9_.-]+/g, '_').slice(0, 60) || 'key'
      let name = plain
      for (let number = 2; !isFree(name); number += 1) name = `${plain}_${number}`
      known.set(key, name)
      renamed.set(name, key)
      return name
    },
  }
}

function propertyNames(schema: JsonValue, found = new Set<string>()): Set<string> {
  if (Array.isArray(schema)) for (const one of schema) propertyNames(one, found)
  if (!isJsonObject(schema)) return found
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && isJsonObject(value)) for (const name of Object.keys(value)) found.add(name)
    propertyNames(value, found)
  }
  return found
}
