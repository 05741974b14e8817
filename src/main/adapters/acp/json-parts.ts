import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'

/** The objects of a list; empty for anything else. */
export function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** True for a text that says something. */
export function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== ''
}
