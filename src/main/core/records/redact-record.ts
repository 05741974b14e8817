import type { JsonValue } from '#shared/base/json.ts'
import { looksSecret, redact } from '../secrets/secrets.ts'
import type { RecordHeader, RecordLine } from './record-format.ts'

const replacement = '[redacted]'

/** The line without texts that look like secrets: its strings, and values of keys such as `password`. */
export function redactLine<Line extends RecordHeader | RecordLine>(line: Line): Line {
  return redactValue(line as unknown as JsonValue) as unknown as Line
}

function redactValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map(redactValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [redact(key), isNamedSecret(key, one) ? replacement : redactValue(one)]),
  )
}

/** A name and its value are a secret together, as in `{"password": "…"}`. */
function isNamedSecret(key: string, value: JsonValue): boolean {
  return typeof value === 'string' && !looksSecret(value) && looksSecret(JSON.stringify({ [key]: value }))
}
