import { structuredPatch } from 'diff'
import type { TextDiff, TextHunk } from '#core/ports/text-merge.ts'
import { splitLines } from './text-lines.ts'

const timeoutMs = 1000
const longestEdit = 20_000
const noNewline = '\\ No newline at end of file'

/** Hunks as in a unified diff. When the comparison takes too long, the whole text is shown as replaced. */
export function compareTexts(before: string, after: string, context: number): TextDiff {
  const limits = { timeout: timeoutMs, maxEditLength: longestEdit }
  return compareWithin(limits, before, after, context) ?? replacement(before, after)
}

/** Undefined when a limit was reached: milliseconds, or added and removed lines. */
export function compareWithin(
  limits: { readonly timeout?: number; readonly maxEditLength: number },
  before: string,
  after: string,
  context: number,
): TextDiff | undefined {
  const patch = structuredPatch('', '', before, after, '', '', { context, ...limits })
  if (!patch) return undefined
  const hunks = patch.hunks.map(toHunk)
  return { hunks, added: count(hunks, '+'), removed: count(hunks, '-'), approximate: false }
}

/** Corrects the start of an empty side: the unified format names the line before it, the library the line after it. */
function toHunk({ oldStart, oldLines, newStart, newLines, lines }: TextHunk): TextHunk {
  return {
    oldStart: oldLines === 0 ? oldStart - 1 : oldStart,
    oldLines,
    newStart: newLines === 0 ? newStart - 1 : newStart,
    newLines,
    lines,
  }
}

export function replacement(before: string, after: string): TextDiff {
  const removed = sideLines(before, '-')
  const added = sideLines(after, '+')
  const hunk: TextHunk = {
    oldStart: Math.min(removed.count, 1),
    oldLines: removed.count,
    newStart: Math.min(added.count, 1),
    newLines: added.count,
    lines: [...removed.lines, ...added.lines],
  }
  return {
    hunks: hunk.lines.length > 0 ? [hunk] : [],
    added: added.count,
    removed: removed.count,
    approximate: true,
  }
}

function sideLines(text: string, sign: '-' | '+'): { readonly lines: readonly string[]; readonly count: number } {
  const own = splitLines(text)
  const lines = own.map((line) => sign + line.replace(/\n$/, ''))
  if (text !== '' && !text.endsWith('\n')) lines.push(noNewline)
  return { lines, count: own.length }
}

function count(hunks: readonly TextHunk[], sign: '-' | '+'): number {
  let found = 0
  for (const { lines } of hunks) for (const line of lines) if (line.startsWith(sign)) found += 1
  return found
}
