import type { JsonValue } from '#shared/base/json.ts'
import { looksSecret, redact } from '../secrets/secrets.ts'
import { fromBase64, toBase64 } from '../tools/files/image-info.ts'
import type { RecordHeader, RecordLine } from './record-format.ts'

const replacement = '[redacted]'

/** The line without texts that look like secrets: its strings, and values of keys such as `password`. */
export function redactLine<Line extends RecordHeader | RecordLine>(line: Line): Line {
  const safe = redactValue(line as unknown as JsonValue) as unknown as Line
  return 'kind' in line && line.kind === 'input' ? ({ ...safe, data: withoutSecrets(line.data) } as Line) : safe
}

/** Bytes in Base64. Those that are no text stay as they are. */
function withoutSecrets(data: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromBase64(data))
    const safe = redact(text)
    return safe === text ? data : toBase64(new TextEncoder().encode(safe))
  } catch {
    return data
  }
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
