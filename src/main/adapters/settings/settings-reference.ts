import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import type { SettingReference } from '#shared/model/settings.ts'
import { settingsShape } from './settings-schema.ts'

/** The JSON Schema of `settings.json`, for editors. */
export function settingsJsonSchema(): JsonObject {
  const { $schema, ...schema } = z.toJSONSchema(z.object(settingsShape).partial(), {
    io: 'input',
    unrepresentable: 'any',
  })
  return {
    $schema: String($schema),
    title: 'Settings of Coppice',
    ...(schema as JsonObject),
    additionalProperties: true,
  }
}

/** Every setting that a person can write, in the order of the schema. A group comes before the settings in it. */
export function settingsReference(): readonly SettingReference[] {
  return propertiesOf(settingsJsonSchema()).flatMap(([name, schema]) => referencesIn(name, schema))
}

function referencesIn(path: string, schema: JsonObject): readonly SettingReference[] {
  const inner = propertiesOf(schema)
  const own: SettingReference = {
    path,
    takes: inner.length > 0 ? 'a group' : takes(schema),
    usual: schema.default === undefined ? null : JSON.stringify(schema.default),
    description: String(schema.description ?? ''),
  }
  return [own, ...inner.flatMap(([name, one]) => referencesIn(`${path}.${name}`, one))]
}

function propertiesOf(schema: JsonObject): readonly (readonly [string, JsonObject])[] {
  const { properties } = schema
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).flatMap(([name, one]) => (isJsonObject(one) ? [[name, one] as const] : []))
}

/** The values that a schema allows, in words. */
function takes(schema: JsonObject): string {
  if (Array.isArray(schema.enum)) return orList(schema.enum.map(quoted))
  if (schema.const !== undefined) return quoted(schema.const)
  const { anyOf, type } = schema
  if (Array.isArray(anyOf)) return orList(anyOf.map((one) => (isJsonObject(one) ? takes(one) : 'anything')))
  if (Array.isArray(type)) return orList(type.map((one) => takes({ ...schema, type: one })))
  switch (type) {
    case 'string':
      return schema.format === 'uri' ? 'an address' : 'text'
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'integer':
      return `a whole number${bounds(schema)}`
    case 'number':
      return `a number${bounds(schema)}`
    case 'array':
      return 'a list'
    case 'object':
      return 'an object'
    default:
      return 'anything'
  }
}

/** Bounds that a person has set. Those of the number's own representation say nothing. */
function bounds({ minimum, exclusiveMinimum, maximum }: JsonObject): string {
  const isUsed = (bound: JsonValue | undefined): bound is number =>
    typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER
  if (isUsed(minimum) && isUsed(maximum)) return ` from ${minimum} to ${maximum}`
  if (isUsed(minimum)) return ` of at least ${minimum}`
  if (isUsed(exclusiveMinimum)) return ` above ${exclusiveMinimum}`
  return isUsed(maximum) ? ` of at most ${maximum}` : ''
}

function quoted(value: unknown): string {
  return JSON.stringify(value)
}

function orList(parts: readonly string[]): string {
  const all = [...new Set(parts)]
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`
}
