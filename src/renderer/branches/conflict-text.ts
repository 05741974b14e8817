import { diff3Merge } from 'node-diff3'

/** Past this many lines the two sides are put one after the other: a comparison would hold up the page. */
const comparedAtMost = 4000

/** Both sides in one text: what only one side changed is taken, and where both did, ours comes before theirs. */
export function joinBoth(base: string, ours: string, theirs: string): string {
  const sides = [ours, base, theirs].map((text) => text.split('\n'))
  const [current = [], before = [], incoming = []] = sides
  if (sides.some((lines) => lines.length > comparedAtMost)) return `${ours}${theirs}`
  return diff3Merge(current, before, incoming, { excludeFalseConflicts: true })
    .flatMap((region) => region.ok ?? [...(region.conflict?.a ?? []), ...(region.conflict?.b ?? [])])
    .join('\n')
}
