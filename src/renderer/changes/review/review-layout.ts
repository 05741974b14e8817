import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createRowHeights, type RowHeights } from './row-heights.ts'

/** The height of a file's heading, in pixels. */
export const headingHeight = 36

/** What is below the heading of a file. */
interface Body {
  /** The height of what stands above the rows. */
  lead: number
  /** Null for a body that is one box. */
  rows: RowHeights | null
  /** The height of that box. */
  box: number
  /** The height of what stands below. */
  tail: number
  /** A folded body takes no room. */
  folded: boolean
}

/** A place in the list that stays where it is while the heights above it change. */
export interface Anchor {
  readonly path: VirtualPath
  /** The row of the file at this place; null for its heading or a box. */
  readonly row: number | null
  /** Pixels from the start of the row, or of the file. */
  readonly offset: number
}

/**
 * Where the files of a review are in one long list. Bodies are known only once they were shown, so each begins with an
 * estimate.
 */
export interface ReviewLayout {
  total(): number
  topOf(path: VirtualPath): number
  heightOf(path: VirtualPath): number
  /** The pixels of a file before its first row. */
  rowsStart(path: VirtualPath): number
  rowsOf(path: VirtualPath): RowHeights | null
  /** The first and the last file between two places; null for a list without files. */
  between(from: number, to: number): readonly [first: number, last: number] | null
  anchorAt(place: number): Anchor | null
  /** Null when the file is not in the list any more. */
  placeOf(anchor: Anchor): number | null
  /** Replaces the files. Bodies of files that stay are kept. `estimate` takes a file's place in the list. */
  setFiles(paths: readonly VirtualPath[], estimate: (place: number) => number): void
  /** Folds these files and unfolds all others. */
  setFolded(folded: ReadonlySet<VirtualPath>): void
  /** Returns whether the height of the file changed. */
  change(path: VirtualPath, part: Partial<Omit<Body, 'folded'>>): boolean
  /** Corrects the height of one row. Returns whether it was another one. */
  setRow(path: VirtualPath, row: number, height: number): boolean
}

export function createReviewLayout(): ReviewLayout {
  const bodies = new Map<VirtualPath, Body>()
  let places = new Map<VirtualPath, number>()
  let paths: readonly VirtualPath[] = []
  let sections = createRowHeights(0, () => 0)

  function bodyHeight(path: VirtualPath): number {
    const body = bodies.get(path)
    if (!body || body.folded) return 0
    return body.lead + (body.rows ? body.rows.total() : body.box) + body.tail
  }

  function update(path: VirtualPath): boolean {
    const place = places.get(path)
    return place !== undefined && sections.set(place, headingHeight + bodyHeight(path))
  }

  const topOf = (path: VirtualPath): number => sections.topOf(places.get(path) ?? 0)
  const rowsStart = (path: VirtualPath): number => headingHeight + (bodies.get(path)?.lead ?? 0)
  const rowsOf = (path: VirtualPath): RowHeights | null => {
    const body = bodies.get(path)
    return body && !body.folded ? body.rows : null
  }

  return {
    total: () => sections.total(),
    topOf,
    heightOf: (path) => sections.heightOf(places.get(path) ?? -1),
    rowsStart,
    rowsOf,
    between(from, to) {
      if (paths.length === 0) return null
      return [sections.indexAt(from), sections.indexAt(to)]
    },
    anchorAt(place) {
      const path = paths[sections.indexAt(place)]
      if (path === undefined) return null
      const within = place - topOf(path)
      const rows = rowsOf(path)
      const below = within - rowsStart(path)
      if (!rows || below < 0) return { path, row: null, offset: within }
      const row = rows.indexAt(below)
      return { path, row, offset: below - rows.topOf(row) }
    },
    placeOf({ path, row, offset }) {
      if (!places.has(path)) return null
      const rows = rowsOf(path)
      if (row === null || !rows) return topOf(path) + offset
      return topOf(path) + rowsStart(path) + rows.topOf(row) + offset
    },
    setFiles(now, estimate) {
      places = new Map(now.map((path, place) => [path, place]))
      for (const path of bodies.keys()) if (!places.has(path)) bodies.delete(path)
      for (const [path, place] of places) {
        if (!bodies.has(path)) bodies.set(path, { lead: 0, rows: null, box: estimate(place), tail: 0, folded: false })
      }
      paths = now
      sections = createRowHeights(now.length, (place) => headingHeight + bodyHeight(now[place] ?? ('' as VirtualPath)))
    },
    setFolded(folded) {
      for (const [path, body] of bodies) {
        const isFolded = folded.has(path)
        if (body.folded === isFolded) continue
        body.folded = isFolded
        update(path)
      }
    },
    change(path, part) {
      const body = bodies.get(path)
      if (!body) return false
      Object.assign(body, part)
      return update(path)
    },
    setRow(path, row, height) {
      return (bodies.get(path)?.rows?.set(row, height) ?? false) && update(path)
    },
  }
}
