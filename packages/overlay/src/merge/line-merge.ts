import { structuredPatch } from 'diff'
import { mergeDiff3 } from 'node-diff3'
import type { TextMerge } from '../ports/text-merge.ts'

/**
 * Compares lines as diff3 does. It has no limit of time: whoever takes texts from others runs one that has, in a worker.
 */
export const lineMerge: TextMerge = {
  async merge(base, ours, theirs) {
    const merged = mergeDiff3(linesOf(ours), linesOf(base), linesOf(theirs), { excludeFalseConflicts: true })
    return merged.conflict ? null : { text: merged.result.join('') }
  },
  async hunks(before, after, context) {
    const { hunks: found } = structuredPatch('', '', before, after, '', '', { context })
    /** The library gives the number of the line after an empty side; the port wants the line before. */
    const hunks = found.map((hunk) => ({
      ...hunk,
      oldStart: hunk.oldLines === 0 ? hunk.oldStart - 1 : hunk.oldStart,
      newStart: hunk.newLines === 0 ? hunk.newStart - 1 : hunk.newStart,
    }))
    const count = (sign: string) => hunks.flatMap(({ lines }) => lines.filter((line) => line.startsWith(sign))).length
    return { hunks, added: count('+'), removed: count('-'), approximate: false }
  },
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
