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
  const count = hunk.lines.length > readAtOnce ? pairs().count : placePairs(hunk.lines, null)
  return { count, at: (index) => [side(pairs().left, index), side(pairs().right, index)] }
}

/** The rows of a shorter hunk are counted, and read when one of them is in sight. */
const readAtOnce = 1000

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
  for (let index = 0; index < lines.length; index++) {
    const kind = kindOf(lines[index] ?? '')
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
  for (let index = 0; index < lines.length; index++) {
    const kind = kindOf(lines[index] ?? '')
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
  const known = new Map<DiffHunk, readonly Block[]>()
  return ({ kind, old, new: fresh }) => {
    if (kind !== 'removed' && kind !== 'added') return null
    const [number, side] = kind === 'removed' ? [old ?? 0, 'old' as const] : [fresh ?? 0, 'new' as const]
    const hunk = hunkAt(hunks, number, side)
    if (!hunk) return null
    const blocks = known.get(hunk) ?? blocksOf(hunk)
    known.set(hunk, blocks)
    const block = blockAt(blocks, number, side)
    if (!block) return null
    const other = side === 'old' ? 'new' : 'old'
    const place = number - block[side].number
    const line = place < block[other].count ? (hunk.lines[block[other].index + place] ?? '') : ''
    return kindOf(line) === (side === 'old' ? 'added' : 'removed') ? line.slice(1) : null
  }
}

/** Removed lines with the added lines that follow them. Notes count to the lines above them. */
type Block = Readonly<Record<'old' | 'new', BlockSide>>

interface BlockSide {
  /** Of the first line, in the hunk and in the file. */
  readonly index: number
  readonly number: number
  readonly count: number
}

function blocksOf({ lines, oldStart, newStart }: DiffHunk): readonly Block[] {
  const blocks: Block[] = []
  let [before, after] = [oldStart, newStart]
  for (let index = 0; index < lines.length; ) {
    const kind = kindOf(lines[index] ?? '')
    if (kind === 'context') {
      before += 1
      after += 1
    }
    if (kind === 'context' || kind === 'note') {
      index += 1
      continue
    }
    const removed = runOf(lines, index, 'removed')
    const added = removed.end
    const fresh = runOf(lines, added, 'added')
    blocks.push({
      old: { index, number: before, count: removed.end - index },
      new: { index: added, number: after, count: fresh.end - added },
    })
    before += removed.numbered
    after += fresh.numbered
    index = fresh.end
  }
  return blocks
}

/** The lines of a kind that follow each other, with the notes below them: where they end, and how many have a number. */
function runOf(lines: readonly string[], from: number, kind: LineKind) {
  let end = from
  let notes = 0
  for (; end < lines.length; end++) {
    const here = kindOf(lines[end] ?? '')
    if (here === 'note' && end > from) notes += 1
    else if (here !== kind) break
  }
  return { end, numbered: end - from - notes }
}

/** The last block that begins at or before a line of one side. */
function blockAt(blocks: readonly Block[], number: number, side: 'old' | 'new'): Block | undefined {
  let [low, high] = [0, blocks.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((blocks[middle]?.[side].number ?? 0) <= number) low = middle
    else high = middle - 1
  }
  const block = blocks[low]
  return block && number >= block[side].number && number < block[side].number + block[side].count ? block : undefined
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
