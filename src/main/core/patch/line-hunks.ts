import type { TextMerge } from '../ports/text-merge.ts'
import { splitLines } from './patch-file.ts'

const contextLines = 3

/**
 * The hunks of a text as a patch writes them. Equal beginnings and ends are taken off first: an edit in one place is a
 * hunk of its own then, and only what lies between several is compared.
 */
export async function lineHunks(before: string, after: string, textMerge: TextMerge): Promise<readonly string[]> {
  const [old, fresh] = [splitLines(before), splitLines(after)]
  const start = commonStart(old, fresh)
  const end = commonEnd(old, fresh, start)
  const [gone, come] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)]
  if (gone.length === 0 || come.length === 0 || gone.length + come.length === 2) return oneHunk(old, start, gone, come)
  const { hunks } = await textMerge.hunks(before, after, contextLines)
  return hunks.flatMap((hunk) => [
    `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`,
    ...hunk.lines,
  ])
}

function oneHunk(
  old: readonly string[],
  start: number,
  gone: readonly string[],
  come: readonly string[],
): readonly string[] {
  const first = Math.max(0, start - contextLines)
  const lead = old.slice(first, start)
  const tail = old.slice(start + gone.length, start + gone.length + contextLines)
  const counts = [gone, come].map((changed) => lead.length + changed.length + tail.length) as [number, number]
  const [oldStart, newStart] = counts.map((count) => (count === 0 ? first : first + 1)) as [number, number]
  return [
    `@@ -${range(oldStart, counts[0])} +${range(newStart, counts[1])} @@`,
    ...[...lead.map(signed(' ')), ...gone.map(signed('-')), ...come.map(signed('+')), ...tail.map(signed(' '))].flat(),
  ]
}

function signed(sign: string): (line: string) => readonly string[] {
  return (line) =>
    line.endsWith('\n') ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, '\\ No newline at end of file']
}

function commonStart(old: readonly string[], fresh: readonly string[]): number {
  let count = 0
  while (count < old.length && count < fresh.length && old[count] === fresh[count]) count += 1
  return count
}

function commonEnd(old: readonly string[], fresh: readonly string[], start: number): number {
  const most = Math.min(old.length, fresh.length) - start
  let count = 0
  while (count < most && old[old.length - 1 - count] === fresh[fresh.length - 1 - count]) count += 1
  return count
}

function range(start: number, count: number): string {
  return count === 1 ? `${start}` : `${start},${count}`
}
