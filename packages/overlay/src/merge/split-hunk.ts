import type { TextHunk } from '../ports/text-merge.ts'

/** Changes with at least this many unchanged lines between them can be chosen one by one. */
export const leastBetween = 4

/**
 * Splits a hunk where enough unchanged lines lie between its changes. Each part gets half of them as context, so that
 * the parts touch but never overlap.
 */
export function splitHunk(hunk: TextHunk): readonly TextHunk[] {
  const cuts = cutsOf(hunk.lines)
  const parts: TextHunk[] = []
  let { oldStart, newStart } = lineStarts(hunk)
  for (const [index, from] of [0, ...cuts].entries()) {
    const lines = hunk.lines.slice(from, cuts[index] ?? hunk.lines.length)
    const oldLines = count(lines, '-')
    const newLines = count(lines, '+')
    parts.push({
      oldStart: startNumber(oldStart, oldLines),
      oldLines,
      newStart: startNumber(newStart, newLines),
      newLines,
      lines,
    })
    oldStart += oldLines
    newStart += newLines
  }
  return parts
}

/** Zero-based first lines. An empty side names the line before it. */
function lineStarts({ oldStart, oldLines, newStart, newLines }: TextHunk) {
  return { oldStart: oldLines === 0 ? oldStart : oldStart - 1, newStart: newLines === 0 ? newStart : newStart - 1 }
}

function startNumber(start: number, lines: number): number {
  return lines === 0 ? start : start + 1
}

/** The positions in the lines where another part begins. */
function cutsOf(lines: readonly string[]): readonly number[] {
  const cuts: number[] = []
  let end = -1
  for (const [index, line] of lines.entries()) {
    if (line.startsWith(' ')) continue
    const between = index - end - 1
    // The first unchanged lines are context before the first change.
    if (end >= 0 && between >= leastBetween) cuts.push(end + 1 + Math.ceil(between / 2))
    end = index
  }
  return cuts
}

function count(lines: readonly string[], sign: '-' | '+'): number {
  return lines.filter((line) => line.startsWith(' ') || line.startsWith(sign)).length
}
