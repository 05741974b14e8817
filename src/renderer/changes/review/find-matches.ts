import type { DiffHunk } from '#shared/contract/views/files.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { DiffRows } from '../../ui/diff/diff-rows.ts'

/** A line of a review that holds the searched text. */
export interface Match {
  readonly path: VirtualPath
  readonly hunk: number
  readonly side: 'old' | 'new'
  /** The number of the line on that side. */
  readonly line: number
}

/** The lines of a file's hunks that hold a text, in any case. A line with several occurrences counts once. */
export function matchesIn(path: VirtualPath, hunks: readonly DiffHunk[], query: string): readonly Match[] {
  const wanted = query.toLowerCase()
  if (wanted === '') return []
  const found: Match[] = []
  for (const [hunk, { lines, oldStart, newStart }] of hunks.entries()) {
    let [old, fresh] = [oldStart, newStart]
    for (const line of lines) {
      const sign = line[0]
      const holds = sign !== '\\' && line.toLowerCase().indexOf(wanted, 1) > 0
      if (holds && sign === '-') found.push({ path, hunk, side: 'old', line: old })
      else if (holds) found.push({ path, hunk, side: 'new', line: fresh })
      if (sign === '-' || sign === ' ') old += 1
      if (sign === '+' || sign === ' ') fresh += 1
    }
  }
  return found
}

/** The row of a match; -1 for none. */
export function rowOfMatch(rows: DiffRows, { hunk, side, line }: Match): number {
  const end = rows.hunks[hunk + 1] ?? rows.count
  for (let index = (rows.hunks[hunk] ?? 0) + 1; index < end; index++) {
    const row = rows.at(index)
    if (row.kind === 'line' && row.line[side] === line) return index
    if (row.kind === 'pair' && row.pair[side === 'old' ? 0 : 1]?.[side] === line) return index
  }
  return -1
}
