import { structuredPatch } from 'diff'
import { diff3Merge } from 'node-diff3'
import type { TextDiff, TextHunk } from '#core/ports/text-merge.ts'

/** Unbounded, the comparison of 20,000 half-changed lines took 28 s; past either bound the whole text counts as replaced. */
const bounds = { timeout: 2_000, maxEditLength: 20_000 }

export function compareTexts(before: string, after: string, context: number): TextDiff {
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context, ...bounds })
  if (!patch) return replacedWhole(before, after)
  const hunks = patch.hunks.map(toHunk)
  return { hunks, ...count(hunks), approximate: false }
}

/** What is shown when a comparison would take too long: all of the old text goes, all of the new one comes. */
export function replacedWhole(before: string, after: string): TextDiff {
  const hunks = replaced(before, after)
  return { hunks, ...count(hunks), approximate: true }
}

/** Unified diffs number an empty side from the line before it. */
function toHunk({ oldStart, oldLines, newStart, newLines, lines }: TextHunk): TextHunk {
  return {
    oldStart: oldLines === 0 ? oldStart - 1 : oldStart,
    oldLines,
    newStart: newLines === 0 ? newStart - 1 : newStart,
    newLines,
    lines,
  }
}

function replaced(before: string, after: string): readonly TextHunk[] {
  const old = linesOf(before)
  const fresh = linesOf(after)
  const lines = [...marked('-', old), ...marked('+', fresh)]
  return [
    {
      oldStart: Math.min(1, old.length),
      oldLines: old.length,
      newStart: Math.min(1, fresh.length),
      newLines: fresh.length,
      lines,
    },
  ]
}

const noNewline = '\\ No newline at end of file'

function marked(sign: '-' | '+', lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) =>
    line.endsWith('\n') ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, noNewline],
  )
}

function count(hunks: readonly TextHunk[]): { readonly added: number; readonly removed: number } {
  let added = 0
  let removed = 0
  for (const { lines } of hunks) {
    for (const line of lines) {
      if (line.startsWith('+')) added += 1
      else if (line.startsWith('-')) removed += 1
    }
  }
  return { added, removed }
}

/** Joins two texts by whole lines; null when both sides changed the same or touching lines in different ways. */
export function joinTexts(base: string, ours: string, theirs: string): { readonly text: string } | null {
  const regions = diff3Merge(linesOf(ours), linesOf(base), linesOf(theirs), { excludeFalseConflicts: true })
  const parts = regions.map((region) => region.ok?.join(''))
  return parts.every((part) => part !== undefined) ? { text: parts.join('') } : null
}

/** Lines with their own ends, so that joining them gives back every byte. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}
