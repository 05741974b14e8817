import { isJsonObject, type JsonObject, type JsonValue, structureIn } from '#shared/base/json.ts'

/** A list of flat records. */
export interface AnswerTable {
  /** The names of all fields, in the order in which the records name them. */
  readonly columns: readonly string[]
  readonly rows: readonly JsonObject[]
  /** The field of the answer that holds the list; null if the answer is the list. */
  readonly field: string | null
}

/** The JSON in an answer: the whole text, or else the last fenced block that is JSON. Undefined for none. */
export function answerJson(text: string): JsonValue | undefined {
  const fenced = [...text.matchAll(/^```[\w-]*\n([\s\S]*?)^```/gm)].map(([, block = '']) => block)
  for (const candidate of [text, ...fenced.reverse()]) {
    const value = structureIn(candidate)
    if (value !== undefined) return value
  }
  return undefined
}

/** The answer as a table, if it is a list of flat records, or an object whose only field is one; null otherwise. */
export function tableOf(value: JsonValue): AnswerTable | null {
  if (isJsonObject(value)) {
    const [only, ...others] = Object.entries(value)
    if (!only || others.length > 0 || !Array.isArray(only[1])) return null
    const table = tableOf(only[1])
    return table && { ...table, field: only[0] }
  }
  if (!Array.isArray(value) || value.length === 0) return null
  const rows = value.filter(isJsonObject)
  if (rows.length < value.length || !rows.every(isFlat)) return null
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return columns.length === 0 ? null : { columns, rows, field: null }
}

function isFlat(row: JsonObject): boolean {
  return Object.values(row).every((cell) => typeof cell !== 'object' || cell === null)
}

/** Whether all values of a column are numbers, so that they line up at the right. */
export function isNumeric({ rows }: AnswerTable, column: string): boolean {
  const cells = rows.flatMap((row) => row[column] ?? [])
  return cells.length > 0 && cells.every((cell) => typeof cell === 'number')
}
