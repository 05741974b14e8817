import * as z from 'zod/mini'

/** A cell of a notebook, as it is compared and shown. */
export interface Cell {
  /** Absent in notebooks of older formats. */
  readonly id: string | null
  readonly kind: 'code' | 'markdown' | 'raw'
  readonly source: string
  readonly outputs: readonly Output[]
  /** All of the outputs, also what is not shown. Equal outputs have equal texts. */
  readonly printed: string
  readonly facts: Facts
}

/** What a notebook or a cell says about itself, each by its place in the file: `kernelspec.display_name` → `Python 3`. */
export type Facts = ReadonlyMap<string, string>

export interface Notebook {
  readonly cells: readonly Cell[]
  readonly facts: Facts
}

/** What a cell printed or drew. */
export type Output =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }
  /** `base64` is the content of a PNG or JPEG. */
  | { readonly kind: 'image'; readonly mediaType: string; readonly base64: string }
  /** Something that is not shown, such as HTML and scripts. */
  | { readonly kind: 'hidden'; readonly mediaType: string }

const lines = z.union([z.string(), z.array(z.string())])
const metadata = z.optional(z.record(z.string(), z.unknown()))
const notebook = z.object({
  metadata,
  nbformat: z.optional(z.unknown()),
  nbformat_minor: z.optional(z.unknown()),
  cells: z.array(
    z.object({
      id: z.optional(z.string()),
      cell_type: z.string(),
      source: z.optional(lines),
      outputs: z.optional(z.array(z.record(z.string(), z.unknown()))),
      metadata,
      attachments: z.optional(z.unknown()),
      execution_count: z.optional(z.unknown()),
    }),
  ),
})

/** Null for a text that is no notebook. */
export function readNotebook(text: string): Notebook | null {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return null
  }
  const parsed = notebook.safeParse(json)
  if (!parsed.success) return null
  const { cells, metadata: about, nbformat, nbformat_minor } = parsed.data
  return {
    facts: factsOf({ ...about, nbformat, nbformat_minor }),
    cells: cells.map(({ id, cell_type, source, outputs, metadata: aboutCell, attachments, execution_count }) => ({
      id: id ?? null,
      kind: cell_type === 'code' || cell_type === 'markdown' ? cell_type : 'raw',
      source: joinLines(source),
      outputs: (outputs ?? []).map(readOutput),
      printed: JSON.stringify(outputs ?? []),
      facts: factsOf({ ...aboutCell, execution_count, attachments }),
    })),
  }
}

/** Deeper values are one fact. */
const deepestFact = 4

function factsOf(value: Readonly<Record<string, unknown>>): Facts {
  const facts = new Map<string, string>()
  const add = (name: string, inner: unknown, depth: number): void => {
    if (inner === null || inner === undefined) return
    const parts =
      typeof inner === 'object' && !Array.isArray(inner) && depth < deepestFact ? Object.entries(inner) : null
    if (!parts) facts.set(name, typeof inner === 'string' ? inner : JSON.stringify(inner))
    else for (const [key, part] of parts) add(`${name}.${key}`, part, depth + 1)
  }
  for (const [key, inner] of Object.entries(value)) add(key, inner, 1)
  return facts
}

/** A fact that differs. Null where it is not there. */
export interface FactChange {
  readonly name: string
  readonly before: string | null
  readonly after: string | null
}

export function compareFacts(before: Facts, after: Facts): readonly FactChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const change = { name, before: before.get(name) ?? null, after: after.get(name) ?? null }
    return change.before === change.after ? [] : [change]
  })
}

function joinLines(text: unknown): string {
  const known = lines.safeParse(text)
  if (!known.success) return ''
  return typeof known.data === 'string' ? known.data : known.data.join('')
}

const base64 = /^[A-Za-z0-9+/=\s]*$/

function readOutput(output: Readonly<Record<string, unknown>>): Output {
  if (output.output_type === 'stream') return { kind: 'text', text: joinLines(output.text) }
  if (output.output_type === 'error') {
    const trace = joinLines(Array.isArray(output.traceback) ? output.traceback.join('\n') : '')
    return { kind: 'error', text: withoutColours(trace || joinLines(output.evalue)) }
  }
  const data = z.record(z.string(), z.unknown()).safeParse(output.data)
  if (!data.success) return { kind: 'hidden', mediaType: 'unknown' }
  for (const mediaType of ['image/png', 'image/jpeg']) {
    const content = joinLines(data.data[mediaType])
    if (content !== '' && base64.test(content)) return { kind: 'image', mediaType, base64: content.replace(/\s/g, '') }
  }
  const text = joinLines(data.data['text/plain'])
  return text === '' ? { kind: 'hidden', mediaType: Object.keys(data.data)[0] ?? 'unknown' } : { kind: 'text', text }
}

function withoutColours(text: string): string {
  return text.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g'), '')
}

/** What became of a cell. */
export interface CellChange {
  readonly kind: 'same' | 'changed' | 'added' | 'removed'
  readonly before: Cell | null
  readonly after: Cell | null
  /** It stands in another order than before among the cells that stayed. A moved cell is a changed one. */
  readonly moved: boolean
}

/**
 * Pairs the cells of two versions by id, or by their source where they have none. Equal ones pair in order. In the
 * order of the new version, with each removed cell below the one it stood below.
 */
export function compareCells(before: readonly Cell[], after: readonly Cell[]): readonly CellChange[] {
  const places = new Map(keysOf(before).map((key, place) => [key, place]))
  const pairs = keysOf(after).map((key) => places.get(key) ?? null)
  const kept = new Set(pairs)
  const removedBelow = new Map<number, CellChange[]>()
  let above = -1
  for (const [place, cell] of before.entries()) {
    if (kept.has(place)) above = place
    else {
      const change: CellChange = { kind: 'removed', before: cell, after: null, moved: false }
      const known = removedBelow.get(above)
      if (known) known.push(change)
      else removedBelow.set(above, [change])
    }
  }
  const inOrder = longestRise(pairs.filter((place) => place !== null))
  const found = [...(removedBelow.get(-1) ?? [])]
  for (const [index, cell] of after.entries()) {
    const place = pairs[index] ?? null
    const old = place === null ? null : (before[place] ?? null)
    if (place === null || !old) {
      found.push({ kind: 'added', before: null, after: cell, moved: false })
      continue
    }
    const moved = !inOrder.has(place)
    found.push({ kind: !moved && isSame(old, cell) ? 'same' : 'changed', before: old, after: cell, moved })
    for (const removed of removedBelow.get(place) ?? []) found.push(removed)
  }
  return found
}

/** Names each cell by its id, or else its source, and by its number among those with the same. */
function keysOf(cells: readonly Cell[]): readonly string[] {
  const counts = new Map<string, number>()
  return cells.map(({ id, source }) => {
    const name = id === null ? `source ${source}` : `id ${id}`
    const earlier = counts.get(name) ?? 0
    counts.set(name, earlier + 1)
    return `${earlier} ${name}`
  })
}

/** The most of these different numbers that stand in rising order. */
function longestRise(numbers: readonly number[]): ReadonlySet<number> {
  /** For each length the lowest number that ends a rise of it. */
  const ends: number[] = []
  const previous = new Map<number, number | undefined>()
  for (const number of numbers) {
    const length = placeIn(ends, number)
    previous.set(number, ends[length - 1])
    ends[length] = number
  }
  const rise = new Set<number>()
  for (let at = ends.at(-1); at !== undefined; at = previous.get(at)) rise.add(at)
  return rise
}

/** Where a number belongs among rising ones. */
function placeIn(rising: readonly number[], number: number): number {
  let [low, high] = [0, rising.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rising[middle] ?? 0) < number) low = middle + 1
    else high = middle
  }
  return low
}

function isSame(one: Cell, other: Cell): boolean {
  return (
    one.kind === other.kind &&
    one.source === other.source &&
    one.printed === other.printed &&
    compareFacts(one.facts, other.facts).length === 0
  )
}
