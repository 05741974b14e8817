import { structuredPatch } from 'diff'
import type { DiffHunk, DiffLine } from '#shared/contract/views.ts'

/** Past these the two texts are shown as a whole replacement: an unbounded comparison can take minutes. */
const limits = { timeout: 300, maxEditLength: 4000 } as const

/** Compares two texts line by line, with three lines of context. */
export function diffTexts(before: string, after: string): readonly DiffHunk[] {
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, ...limits })
  if (!patch) return before === after ? [] : [replacement(before, after)]
  return patch.hunks.map((hunk) => ({
    oldStart: hunk.oldStart,
    oldLines: hunk.oldLines,
    newStart: hunk.newStart,
    newLines: hunk.newLines,
    lines: hunk.lines.filter((line) => !line.startsWith('\\')).map(toLine),
  }))
}

function toLine(line: string): DiffLine {
  const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'context'
  return { kind, text: line.slice(1) }
}

function replacement(before: string, after: string): DiffHunk {
  const removed = linesOf(before).map((text) => ({ kind: 'removed', text }) as const)
  const added = linesOf(after).map((text) => ({ kind: 'added', text }) as const)
  return {
    oldStart: 1,
    oldLines: removed.length,
    newStart: 1,
    newLines: added.length,
    lines: [...removed, ...added],
  }
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/** A line with its numbers on the sides where it stands. */
export interface NumberedLine extends DiffLine {
  readonly old: number | null
  readonly new: number | null
}

export function numberLines(hunk: DiffHunk): readonly NumberedLine[] {
  let before = hunk.oldStart
  let after = hunk.newStart
  return hunk.lines.map((line) => ({
    ...line,
    old: line.kind === 'added' ? null : before++,
    new: line.kind === 'removed' ? null : after++,
  }))
}

export type SplitRow = readonly [left: NumberedLine | null, right: NumberedLine | null]

/** Rows of a side-by-side view: each run of removed lines stands beside the added lines that follow it. */
export function splitRows(lines: readonly NumberedLine[]): readonly SplitRow[] {
  const rows: SplitRow[] = []
  let removed: NumberedLine[] = []
  let added: NumberedLine[] = []
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      rows.push([removed[index] ?? null, added[index] ?? null])
    }
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === 'removed' && added.length > 0) flush()
    if (line.kind === 'removed') removed.push(line)
    else if (line.kind === 'added') added.push(line)
    else {
      flush()
      rows.push([line, line])
    }
  }
  flush()
  return rows
}
