import { structuredPatch } from 'diff'
import type { DiffHunk } from '#shared/contract/views/files.ts'

/** Beyond these limits the diff replaces the whole text, because an unlimited comparison can take minutes. */
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
    lines: hunk.lines.filter((line) => !line.startsWith('\\')),
  }))
}

function replacement(before: string, after: string): DiffHunk {
  const removed = linesOf(before).map((text) => `-${text}`)
  const added = linesOf(after).map((text) => `+${text}`)
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
