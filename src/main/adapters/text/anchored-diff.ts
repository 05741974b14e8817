/** Lines that differ: those of the old text from `oldStart` up to `oldEnd` became those of the new one. Counted from 0. */
export interface Edit {
  readonly oldStart: number
  readonly oldEnd: number
  readonly newStart: number
  readonly newEnd: number
}

interface AnchoredDiff {
  readonly edits: readonly Edit[]
  /** False when a part was too large to be compared, so that all of it is one edit. */
  readonly complete: boolean
}

interface Part extends Edit {
  readonly depth: number
}

/** A part without anchors is compared line by line if it has at most this many pairs of lines. */
const mostPairs = 4_000_000
/** Parts are split at their anchors at most this often. */
const deepest = 60

/**
 * Compares two texts in a time that grows with their length, not with the number of changes: lines that are there
 * exactly once on both sides, in the same order, are the same line. Lines between them are compared one by one. Every
 * line outside the edits is equal on both sides.
 */
export function anchoredDiff(old: readonly string[], fresh: readonly string[]): AnchoredDiff {
  const edits: Edit[] = []
  let complete = true
  const open: Part[] = [{ oldStart: 0, oldEnd: old.length, newStart: 0, newEnd: fresh.length, depth: 0 }]
  for (let part = open.pop(); part; part = open.pop()) {
    const inner = withoutEqualEnds(part, old, fresh)
    const [removed, added] = [inner.oldEnd - inner.oldStart, inner.newEnd - inner.newStart]
    if (removed === 0 && added === 0) continue
    const anchors = removed > 0 && added > 0 && inner.depth < deepest ? anchorsIn(inner, old, fresh) : []
    if (anchors.length > 0) open.push(...partsBetween(inner, anchors))
    else if (removed > 0 && added > 0 && removed * added <= mostPairs) edits.push(...exactEdits(inner, old, fresh))
    else {
      edits.push(inner)
      complete &&= removed === 0 || added === 0
    }
  }
  const inOrder = edits.sort((one, other) => one.oldStart - other.oldStart || one.newStart - other.newStart)
  return { edits: joinEdits(inOrder), complete }
}

function withoutEqualEnds(part: Part, old: readonly string[], fresh: readonly string[]): Part {
  let { oldStart, oldEnd, newStart, newEnd } = part
  while (oldStart < oldEnd && newStart < newEnd && old[oldStart] === fresh[newStart]) {
    oldStart += 1
    newStart += 1
  }
  while (oldStart < oldEnd && newStart < newEnd && old[oldEnd - 1] === fresh[newEnd - 1]) {
    oldEnd -= 1
    newEnd -= 1
  }
  return { oldStart, oldEnd, newStart, newEnd, depth: part.depth }
}

type Anchor = readonly [old: number, fresh: number]

/** The longest sequence of lines that are there exactly once on both sides, in the same order on both. */
function anchorsIn(part: Part, old: readonly string[], fresh: readonly string[]): readonly Anchor[] {
  const onceOld = uniqueLines(old, part.oldStart, part.oldEnd)
  const onceFresh = uniqueLines(fresh, part.newStart, part.newEnd)
  const pairs: Anchor[] = []
  for (const [line, place] of onceOld) {
    const there = onceFresh.get(line)
    if (place !== repeated && there !== undefined && there !== repeated) pairs.push([place, there])
  }
  return longestRising(pairs)
}

const repeated = -1

/** The place of each line; -1 for a line that is there more than once. In the order of the text. */
function uniqueLines(lines: readonly string[], start: number, end: number): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (let index = start; index < end; index++) {
    const line = lines[index] ?? ''
    places.set(line, places.has(line) ? repeated : index)
  }
  return places
}

/** The pairs are in the order of their first place. Finds the most pairs whose second places rise as well. */
function longestRising(pairs: readonly Anchor[]): readonly Anchor[] {
  /** For each length, the pair with the lowest second place that ends a sequence of this length. */
  const ends: number[] = []
  const before = new Int32Array(pairs.length).fill(repeated)
  for (const [index, [, place]] of pairs.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < place) low = middle + 1
      else high = middle
    }
    before[index] = low > 0 ? (ends[low - 1] ?? repeated) : repeated
    ends[low] = index
  }
  const chosen: Anchor[] = []
  for (let at = ends.at(-1) ?? repeated; at !== repeated; at = before[at] ?? repeated) {
    const pair = pairs[at]
    if (pair) chosen.push(pair)
  }
  return chosen.reverse()
}

function partsBetween(part: Part, anchors: readonly Anchor[]): readonly Part[] {
  const parts: Part[] = []
  let [oldStart, newStart] = [part.oldStart, part.newStart]
  for (const [oldEnd, newEnd] of [...anchors, [part.oldEnd, part.newEnd] as const]) {
    if (oldEnd > oldStart || newEnd > newStart) {
      parts.push({ oldStart, oldEnd, newStart, newEnd, depth: part.depth + 1 })
    }
    oldStart = oldEnd + 1
    newStart = newEnd + 1
  }
  return parts
}

/** The fewest edits of a part, by the longest common sequence of its lines. */
function exactEdits(part: Part, old: readonly string[], fresh: readonly string[]): readonly Edit[] {
  const { oldStart, oldEnd, newStart, newEnd } = part
  const width = newEnd - newStart + 1
  const longest = new Uint16Array((oldEnd - oldStart + 1) * width)
  for (let row = oldEnd - oldStart - 1; row >= 0; row--) {
    for (let column = width - 2; column >= 0; column--) {
      const here = row * width + column
      longest[here] =
        old[oldStart + row] === fresh[newStart + column]
          ? (longest[here + width + 1] ?? 0) + 1
          : Math.max(longest[here + width] ?? 0, longest[here + 1] ?? 0)
    }
  }
  const edits: Edit[] = []
  let [row, column] = [0, 0]
  let [fromRow, fromColumn] = [0, 0]
  const end = (): void => {
    if (row > fromRow || column > fromColumn) {
      edits.push({
        oldStart: oldStart + fromRow,
        oldEnd: oldStart + row,
        newStart: newStart + fromColumn,
        newEnd: newStart + column,
      })
    }
  }
  while (oldStart + row < oldEnd && newStart + column < newEnd) {
    const here = row * width + column
    if (old[oldStart + row] === fresh[newStart + column]) {
      end()
      row += 1
      column += 1
      fromRow = row
      fromColumn = column
    } else if ((longest[here + width] ?? 0) >= (longest[here + 1] ?? 0)) row += 1
    else column += 1
  }
  row = oldEnd - oldStart
  column = newEnd - newStart
  end()
  return edits
}

/** Joins edits without an equal line between them. */
function joinEdits(edits: readonly Edit[]): readonly Edit[] {
  const result: Edit[] = []
  for (const edit of edits) {
    const last = result.at(-1)
    if (last && last.oldEnd === edit.oldStart && last.newEnd === edit.newStart) {
      result[result.length - 1] = { ...last, oldEnd: edit.oldEnd, newEnd: edit.newEnd }
    } else result.push(edit)
  }
  return result
}
