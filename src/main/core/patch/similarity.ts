import { sameBytes, splitLines, toBinaryText } from './patch-file.ts'

/** How much of a file is kept by a rename, in percent of the larger size, counted by lines. Only equal files give 100. */
export function similarity(before: Uint8Array, after: Uint8Array): number {
  if (sameBytes(before, after)) return 100
  const size = Math.max(before.length, after.length)
  const known = new Map<string, number>()
  for (const line of linesOf(before)) known.set(line, (known.get(line) ?? 0) + 1)
  let kept = 0
  for (const line of linesOf(after)) {
    const count = known.get(line) ?? 0
    if (count === 0) continue
    known.set(line, count - 1)
    kept += line.length
  }
  return Math.min(99, Math.floor((kept * 100) / size))
}

function linesOf(bytes: Uint8Array): readonly string[] {
  return splitLines(toBinaryText(bytes))
}
