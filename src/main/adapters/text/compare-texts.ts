import { structuredPatch } from 'diff'
import type { TextDiff, TextHunk } from '#core/ports/text-merge.ts'
import { anchoredDiff, type Edit } from './anchored-diff.ts'
import { splitLines } from './text-lines.ts'

const timeoutMs = 250
const longestEdit = 5000
const noNewline = '\\ No newline at end of file'

/**
 * Hunks as in a unified diff. When finding the fewest changes takes too long, lines that are there only once tell what
 * belongs together. Every line that is shown as unchanged is.
 */
export function compareTexts(before: string, after: string, context: number): TextDiff {
  const limits = { timeout: timeoutMs, maxEditLength: longestEdit }
  return compareWithin(limits, before, after, context) ?? compareByAnchors(before, after, context)
}

function compareByAnchors(before: string, after: string, context: number): TextDiff {
  const [old, fresh] = [splitLines(before), splitLines(after)]
  const { edits, complete } = anchoredDiff(old, fresh)
  const hunks = hunksOf(edits, old, fresh, context)
  const size = (from: 'old' | 'new') =>
    edits.reduce((sum, edit) => sum + (from === 'old' ? edit.oldEnd - edit.oldStart : edit.newEnd - edit.newStart), 0)
  const [added, removed] = [size('new'), size('old')]
  return { hunks, added, removed, approximate: !complete }
}

/** Puts edits with less than twice the context between them into one hunk. */
function hunksOf(
  edits: readonly Edit[],
  old: readonly string[],
  fresh: readonly string[],
  context: number,
): readonly TextHunk[] {
  const hunks: TextHunk[] = []
  for (let index = 0; index < edits.length; ) {
    let next = index + 1
    while ((edits[next]?.oldStart ?? Number.POSITIVE_INFINITY) - (edits[next - 1]?.oldEnd ?? 0) <= 2 * context)
      next += 1
    hunks.push(hunkOf(edits.slice(index, next), old, fresh, context))
    index = next
  }
  return hunks
}

function hunkOf(edits: readonly Edit[], old: readonly string[], fresh: readonly string[], context: number): TextHunk {
  const [first, last] = [edits[0], edits.at(-1)]
  const before = Math.min(context, first?.oldStart ?? 0)
  const behind = Math.min(context, old.length - (last?.oldEnd ?? 0))
  const [oldStart, oldEnd] = [(first?.oldStart ?? 0) - before, (last?.oldEnd ?? 0) + behind]
  const [newStart, newEnd] = [(first?.newStart ?? 0) - before, (last?.newEnd ?? 0) + behind]
  const lines: string[] = []
  const put = (sign: string, side: readonly string[], from: number, to: number): void => {
    for (const line of side.slice(from, to)) {
      lines.push(sign + line.replace(/\n$/, ''))
      if (!line.endsWith('\n')) lines.push(noNewline)
    }
  }
  let at = oldStart
  for (const edit of edits) {
    put(' ', old, at, edit.oldStart)
    put('-', old, edit.oldStart, edit.oldEnd)
    put('+', fresh, edit.newStart, edit.newEnd)
    at = edit.oldEnd
  }
  put(' ', old, at, oldEnd)
  const [oldLines, newLines] = [oldEnd - oldStart, newEnd - newStart]
  return {
    oldStart: oldStart + (oldLines === 0 ? 0 : 1),
    oldLines,
    newStart: newStart + (newLines === 0 ? 0 : 1),
    newLines,
    lines,
  }
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
