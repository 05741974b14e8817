import type { JsonValue } from '#shared/base/json.ts'
import { lineEnds } from '#shared/model/messages/message-notes.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'

/** What a message says about an input in place of its content. */
export interface Description {
  /** Kind and size in a few words. */
  readonly about: string
  /** Fields, columns or the beginning. */
  readonly detail: string
}

const maxFields = 50
const maxPreview = 200

/** The fields of a JSON value with the beginning of each. `text` is the value as it is stored. */
export function describeJson(value: JsonValue, text: string): Description {
  const about = `${text.length} characters`
  if (Array.isArray(value)) return { about: `${about}, list of ${value.length}`, detail: describeItems(value) }
  const fields = isRecord(value) ? Object.entries(value) : [['(value)', value] as const]
  return { about, detail: `Fields:\n${listFields(fields)}` }
}

/** A list of records by its fields, with the first record as the example. Other lists by their first items. */
function describeItems(items: readonly JsonValue[]): string {
  const records = items.filter(isRecord)
  if (records.length === 0 || records.length < items.length) {
    return `Items:\n${listFields(items.map((item, index) => [String(index), item]))}`
  }
  const examples = new Map<string, JsonValue>()
  for (const [key, value] of records.flatMap((record) => Object.entries(record)))
    if (!examples.has(key)) examples.set(key, value)
  return `Fields of the items, with the first value of each:\n${listFields([...examples])}`
}

function listFields(fields: readonly (readonly [string, JsonValue])[]): string {
  const lines = fields.slice(0, maxFields).map(([key, value]) => `- ${key}: ${shorten(JSON.stringify(value))}`)
  return [...lines, ...(fields.length > maxFields ? [`- and ${fields.length - maxFields} more`] : [])].join('\n')
}

function isRecord(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const linesShown = 3

/** The length of a text and its first lines. */
export function describeText(text: string): Description {
  const lines = text.trimEnd().split(lineEnds)
  const shown = lines.filter((line) => line.trim() !== '').slice(0, linesShown)
  return {
    about: `${text.length} characters, ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`,
    detail: `It begins:\n${shown.map((line) => `> ${shorten(line)}`).join('\n')}`,
  }
}

/** The beginning of a long text, with its whole length. */
export function shorten(text: string): string {
  return text.length > maxPreview ? `${beginningOf(text, maxPreview)}… (${text.length} characters)` : text
}
