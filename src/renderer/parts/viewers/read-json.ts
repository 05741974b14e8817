/**
 * A value of a JSON text, as the text writes it. JavaScript would round large numbers, drop the first of two equal keys
 * and sort keys that look like numbers.
 */
export type JsonNode =
  | { readonly kind: 'object'; readonly entries: readonly JsonEntry[] }
  | { readonly kind: 'array'; readonly entries: readonly JsonEntry[] }
  | { readonly kind: 'string' | 'other'; readonly text: string }

export interface JsonEntry {
  /** The key, or the place in an array. */
  readonly name: string
  readonly value: JsonNode
  /** True if the object has the key more than once. */
  readonly doubled: boolean
}

interface Open {
  readonly kind: 'object' | 'array'
  readonly entries: { name: string; value: JsonNode; doubled: boolean }[]
  /** Where each key stands first. */
  readonly places: Map<string, number>
  /** The key whose value is read next. */
  name: string
}

const space = /[ \t\n\r]*/y
const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** Reads a text that is valid JSON; null for any other. Nesting may be as deep as the text is long. */
export function readJson(text: string): JsonNode | null {
  if (!isJson(text)) return null
  const open: Open[] = []
  let at = skip(text, 0)
  for (;;) {
    const start = text[at]
    let value: JsonNode | null = null
    if (start === '{' || start === '[') {
      open.push({ kind: start === '{' ? 'object' : 'array', entries: [], places: new Map(), name: '' })
      at = skip(text, at + 1)
    } else {
      token.lastIndex = at
      const [found = ''] = token.exec(text) ?? []
      value = { kind: start === '"' ? 'string' : 'other', text: found }
      at = skip(text, at + found.length)
    }
    // A value may end the list or map that holds it, and that one may end the one around it.
    for (;;) {
      const inner = open.at(-1)
      if (value) {
        if (!inner) return value
        add(inner, value)
        value = null
        if (text[at] === ',') {
          at = skip(text, at + 1)
          break
        }
      }
      if (!inner) return null
      if (text[at] !== (inner.kind === 'object' ? '}' : ']')) break
      at = skip(text, at + 1)
      open.pop()
      value = { kind: inner.kind, entries: inner.entries }
    }
    const inner = open.at(-1)
    if (inner?.kind !== 'object') continue
    token.lastIndex = at
    const [key = ''] = token.exec(text) ?? []
    inner.name = String(JSON.parse(key))
    at = skip(text, skip(text, at + key.length) + 1)
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function skip(text: string, from: number): number {
  space.lastIndex = from
  space.exec(text)
  return space.lastIndex
}

function add({ kind, entries, places, name }: Open, value: JsonNode): void {
  if (kind === 'array') {
    entries.push({ name: String(entries.length), value, doubled: false })
    return
  }
  const first = places.get(name)
  const before = first === undefined ? undefined : entries[first]
  if (before) before.doubled = true
  else places.set(name, entries.length)
  entries.push({ name, value, doubled: before !== undefined })
}
