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
    cells: cells.map(({ id, cell_type, source, outputs, metadata: aboutCell, execution_count }) => ({
      id: id ?? null,
      kind: cell_type === 'code' || cell_type === 'markdown' ? cell_type : 'raw',
      source: joined(source),
      outputs: (outputs ?? []).map(readOutput),
      printed: JSON.stringify(outputs ?? []),
      facts: factsOf({ ...aboutCell, execution_count }),
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

function joined(text: unknown): string {
  const known = lines.safeParse(text)
  if (!known.success) return ''
  return typeof known.data === 'string' ? known.data : known.data.join('')
}

const base64 = /^[A-Za-z0-9+/=\s]*$/

function readOutput(output: Readonly<Record<string, unknown>>): Output {
  if (output.output_type === 'stream') return { kind: 'text', text: joined(output.text) }
  if (output.output_type === 'error') {
    const trace = joined(Array.isArray(output.traceback) ? output.traceback.join('\n') : '')
    return { kind: 'error', text: withoutColours(trace || joined(output.evalue)) }
  }
  const data = z.record(z.string(), z.unknown()).safeParse(output.data)
  if (!data.success) return { kind: 'hidden', mediaType: 'unknown' }
  for (const mediaType of ['image/png', 'image/jpeg']) {
    const content = joined(data.data[mediaType])
    if (content !== '' && base64.test(content)) return { kind: 'image', mediaType, base64: content.replace(/\s/g, '') }
  }
  const text = joined(data.data['text/plain'])
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
}

/** Pairs the cells of two versions by id, or by their source where they have none. In the order of the new version. */
export function compareCells(before: readonly Cell[], after: readonly Cell[]): readonly CellChange[] {
  const left = new Map(before.map((cell, place) => [keyOf(cell, before, place), cell]))
  const found: CellChange[] = []
  const placed = new Set<string>()
  for (const [place, cell] of after.entries()) {
    const key = keyOf(cell, after, place)
    const old = left.get(key)
    placed.add(key)
    if (old) found.push({ kind: isSame(old, cell) ? 'same' : 'changed', before: old, after: cell })
    else found.push({ kind: 'added', before: null, after: cell })
  }
  let at = 0
  for (const [place, cell] of before.entries()) {
    const key = keyOf(cell, before, place)
    if (placed.has(key)) at = found.findIndex((one) => one.before === cell) + 1
    else found.splice(at++, 0, { kind: 'removed', before: cell, after: null })
  }
  return found
}

/** Cells without an id are told apart by their source, and equal ones by their number. */
function keyOf(cell: Cell, all: readonly Cell[], place: number): string {
  if (cell.id !== null) return `id ${cell.id}`
  const earlier = all.slice(0, place).filter(({ id, source }) => id === null && source === cell.source).length
  return `source ${earlier} ${cell.source}`
}

function isSame(one: Cell, other: Cell): boolean {
  return (
    one.kind === other.kind &&
    one.source === other.source &&
    one.printed === other.printed &&
    compareFacts(one.facts, other.facts).length === 0
  )
}
