const depthLimit = 100

/** A value as monty gives it, as JSON: tuples and sets are lists, keys are texts, what JSON has no word for is its text. */
export function pythonJson(value: unknown): string {
  return JSON.stringify(plain(value, 0))
}

function plain(value: unknown, depth: number): unknown {
  if (depth > depthLimit) return '…'
  if (value === null || value === undefined) return null
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value !== 'object') return value
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1))
  if (value instanceof Set) return [...value].map((item) => plain(item, depth + 1))
  return Object.fromEntries(entriesOf(value).map(([key, item]) => [keyText(key), plain(item, depth + 1)]))
}

function entriesOf(value: object): [unknown, unknown][] {
  if (value instanceof Map) return [...value]
  return Object.entries(value).filter(([key]) => key !== '__monty_type__')
}

function keyText(key: unknown): string {
  return typeof key === 'object' && key !== null ? pythonJson(key) : String(key)
}
