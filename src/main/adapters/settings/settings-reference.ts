import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import type { SettingReference } from '#shared/model/settings.ts'
import { settingsShape } from './settings-schema.ts'

/** The JSON Schema of `settings.json`, for editors. */
export function settingsJsonSchema(): JsonObject {
  const { $schema, ...schema } = jsonSchemaOf(z.object(settingsShape).partial())
  return {
    $schema: String($schema),
    title: 'Settings of Coppice',
    ...(schema as JsonObject),
    additionalProperties: true,
  }
}

/** Every setting that a person can write, in the order of the schema. A group comes before the settings in it. */
export function settingsReference(): readonly SettingReference[] {
  return referenceOf(z.object(settingsShape).partial())
}

/** Every key of an object that a person can write. */
export function referenceOf(schema: z.ZodObject): readonly SettingReference[] {
  return propertiesOf(jsonSchemaOf(schema)).flatMap(([name, one]) => referencesIn(name, one))
}

function jsonSchemaOf(schema: z.ZodObject): JsonObject {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject
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
  const all = [...new Set(kindsIn(schema))]
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`
}

function kindsIn(schema: JsonObject): readonly string[] {
  const { anyOf, type } = schema
  if (Array.isArray(schema.enum)) return schema.enum.map(inQuotes)
  if (schema.const !== undefined) return [inQuotes(schema.const)]
  if (Array.isArray(anyOf)) return anyOf.flatMap((one) => (isJsonObject(one) ? kindsIn(one) : ['anything']))
  if (Array.isArray(type)) return type.flatMap((one) => kindsIn({ ...schema, type: one }))
  switch (type) {
    case 'string':
      return [schema.format === 'uri' ? 'an address' : 'text']
    case 'boolean':
      return ['true or false']
    case 'null':
      return ['null']
    case 'integer':
      return [`a whole number${bounds(schema)}`]
    case 'number':
      return [`a number${bounds(schema)}`]
    case 'array':
      return ['a list']
    case 'object':
      return ['an object']
    default:
      return ['anything']
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

function inQuotes(value: unknown): string {
  return JSON.stringify(value)
}
