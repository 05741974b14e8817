import { diff3Merge } from 'node-diff3'

/** A part of a file in conflict: settled by itself, or two versions of the same lines. */
export type ConflictPart =
  | { readonly kind: 'settled'; readonly lines: readonly string[] }
  | { readonly kind: 'open'; readonly ours: readonly string[]; readonly theirs: readonly string[] }

export type Side = 'ours' | 'theirs' | 'both'

/** Past this many lines the two sides are one conflict as a whole: a comparison would hold up the page. */
const comparedAtMost = 4000

/** Cuts both sides into what a three-way merge settles and what it leaves open. */
export function conflictParts(base: string, ours: string, theirs: string): readonly ConflictPart[] {
  const [current, before, incoming] = [ours, base, theirs].map((text) => text.split('\n')) as [
    string[],
    string[],
    string[],
  ]
  if (Math.max(current.length, before.length, incoming.length) > comparedAtMost) {
    return [{ kind: 'open', ours: current, theirs: incoming }]
  }
  return diff3Merge(current, before, incoming, { excludeFalseConflicts: true }).map((region) =>
    region.conflict
      ? { kind: 'open', ours: region.conflict.a, theirs: region.conflict.b }
      : { kind: 'settled', lines: region.ok ?? [] },
  )
}

/** The text that the choices make, one for each open part in order; `both` puts ours before theirs. */
export function joinParts(parts: readonly ConflictPart[], choices: readonly Side[]): string {
  let open = 0
  return parts
    .flatMap((part) => (part.kind === 'settled' ? part.lines : linesFor(part, choices[open++] ?? 'ours')))
    .join('\n')
}

function linesFor(part: ConflictPart & { kind: 'open' }, side: Side): readonly string[] {
  return side === 'both' ? [...part.ours, ...part.theirs] : part[side]
}
