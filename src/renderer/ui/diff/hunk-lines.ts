import type { DiffHunk } from '#shared/contract/views/files.ts'

type LineKind = 'context' | 'added' | 'removed' | 'note'

/**
 * A line with its number on each side; null on a side that does not have it. A note, such as a missing line end, has
 * no numbers.
 */
export interface NumberedLine {
  readonly kind: LineKind
  readonly text: string
  readonly old: number | null
  readonly new: number | null
}

/** A row of a side-by-side view. */
export type LinePair = readonly [left: NumberedLine | null, right: NumberedLine | null]

/** Rows that are made when they are requested, because a hunk can be a whole file. */
export interface Rows<Row> {
  readonly count: number
  at(index: number): Row
}

/** The rows of a unified view: one for each line. */
export function unifiedRows(hunk: DiffHunk): Rows<NumberedLine> {
  const numbers = once(() => numberLines(hunk))
  return { count: hunk.lines.length, at: (index) => lineAt(hunk, numbers(), index) }
}

/** The rows of a side-by-side view. Removed lines are beside the added lines that follow them. */
export function splitRows(hunk: DiffHunk): Rows<LinePair> {
  const numbers = once(() => numberLines(hunk))
  const pairs = once(() => pairLines(hunk.lines))
  const side = (places: Int32Array, index: number): NumberedLine | null => {
    const place = places[index] ?? none
    return place === none ? null : lineAt(hunk, numbers(), place)
  }
  return { count: placePairs(hunk.lines, null), at: (index) => [side(pairs().left, index), side(pairs().right, index)] }
}

/** Comparisons have thousands of hunks, of which a few are in sight. The others are not read. */
function once<Value extends object>(make: () => Value): () => Value {
  let value: Value | null = null
  return () => {
    value ??= make()
    return value
  }
}

const none = -1
const [plus, minus, backslash] = ['+', '-', '\\'].map((sign) => sign.charCodeAt(0))

function kindOf(line: string): LineKind {
  switch (line.charCodeAt(0)) {
    case plus:
      return 'added'
    case minus:
      return 'removed'
    case backslash:
      return 'note'
    default:
      return 'context'
  }
}

interface Numbers {
  /** The number of each line on this side; 0 if the side does not have the line. */
  readonly old: Int32Array
  readonly new: Int32Array
}

function numberLines({ lines, oldStart, newStart }: DiffHunk): Numbers {
  const [old, fresh] = [new Int32Array(lines.length), new Int32Array(lines.length)]
  let [before, after] = [oldStart, newStart]
  for (const [index, line] of lines.entries()) {
    const kind = kindOf(line)
    if (kind === 'context' || kind === 'removed') old[index] = before++
    if (kind === 'context' || kind === 'added') fresh[index] = after++
  }
  return { old, new: fresh }
}

function lineAt({ lines }: DiffHunk, numbers: Numbers, index: number): NumberedLine {
  const line = lines[index] ?? ' '
  const kind = kindOf(line)
  const numberIn = (side: Int32Array): number | null => side[index] || null
  return { kind, text: line.slice(kind === 'note' ? 2 : 1), old: numberIn(numbers.old), new: numberIn(numbers.new) }
}

/** For each row, the index of the hunk's line on the left and on the right; -1 for none. */
interface Pairs {
  readonly left: Int32Array
  readonly right: Int32Array
}

function pairLines(lines: readonly string[]): Pairs & { readonly count: number } {
  const pairs = { left: new Int32Array(lines.length).fill(none), right: new Int32Array(lines.length).fill(none) }
  return { ...pairs, count: placePairs(lines, pairs) }
}

/** Writes the rows into `pairs`, or only counts them. Returns their number. */
function placePairs(lines: readonly string[], pairs: Pairs | null): number {
  let [base, removed, added] = [0, 0, 0]
  const nextRow = (): void => {
    base += Math.max(removed, added)
    removed = 0
    added = 0
  }
  for (const [index, line] of lines.entries()) {
    const kind = kindOf(line)
    // A note belongs to the line above it.
    const goesLeft = kind === 'removed' || (kind === 'note' && removed > 0 && added === 0)
    const goesRight = kind === 'added' || (kind === 'note' && added > 0)
    if (goesLeft && added > 0) nextRow()
    if (goesLeft) {
      if (pairs) pairs.left[base + removed] = index
      removed += 1
    } else if (goesRight) {
      if (pairs) pairs.right[base + added] = index
      added += 1
    } else {
      nextRow()
      if (pairs) {
        pairs.left[base] = index
        pairs.right[base] = index
      }
      base += 1
    }
  }
  nextRow()
  return base
}

/**
 * Returns the other version of a changed line: the line beside it in a side-by-side view. Null for a line that has
 * none. Each hunk is read when it is first asked about.
 */
export function partnersOf(hunks: readonly DiffHunk[]): (line: NumberedLine) => string | null {
  const known = new Map<DiffHunk, Pairs>()
  return ({ kind, old, new: fresh }) => {
    if (kind !== 'removed' && kind !== 'added') return null
    const [number, side] = kind === 'removed' ? [old ?? 0, 'old' as const] : [fresh ?? 0, 'new' as const]
    const hunk = hunkAt(hunks, number, side)
    if (!hunk) return null
    const partners = known.get(hunk) ?? partnersIn(hunk)
    known.set(hunk, partners)
    const place = side === 'old' ? partners.left[number - hunk.oldStart] : partners.right[number - hunk.newStart]
    return place === undefined || place === none ? null : (hunk.lines[place] ?? '').slice(1)
  }
}

/** The index of the other version of each line, by its place on the old side (`left`) and on the new side. */
function partnersIn(hunk: DiffHunk): Pairs {
  const { left, right, count } = pairLines(hunk.lines)
  const numbers = numberLines(hunk)
  const size = hunk.lines.length
  const partners = { left: new Int32Array(size).fill(none), right: new Int32Array(size).fill(none) }
  for (let row = 0; row < count; row++) {
    const [before, after] = [left[row] ?? none, right[row] ?? none]
    if (before === none || after === none || before === after) continue
    if (kindOf(hunk.lines[before] ?? '') !== 'removed' || kindOf(hunk.lines[after] ?? '') !== 'added') continue
    partners.left[(numbers.old[before] ?? 0) - hunk.oldStart] = after
    partners.right[(numbers.new[after] ?? 0) - hunk.newStart] = before
  }
  return partners
}

/** The last hunk that starts at or before a line of one side. */
function hunkAt(hunks: readonly DiffHunk[], number: number, side: 'old' | 'new'): DiffHunk | undefined {
  const startOf = (hunk: DiffHunk | undefined): number => (side === 'old' ? hunk?.oldStart : hunk?.newStart) ?? 0
  let [low, high] = [0, hunks.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (startOf(hunks[middle]) <= number) low = middle
    else high = middle - 1
  }
  return hunks[low]
}
