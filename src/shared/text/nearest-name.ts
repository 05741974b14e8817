/**
 * The name that a mistyped word probably means, without regard to case; undefined when none is near. `most` is the number
 * of letters that may be wrong; half of the name when it is left out.
 */
export function nearestName(word: string, names: readonly string[], most?: number): string | undefined {
  if (word.length > 80) return undefined
  const [nearest] = names
    .map((name) => ({ name, distance: editDistance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= (most ?? Math.max(2, Math.floor(name.length / 2))))
    .sort((a, b) => a.distance - b.distance)
  return nearest?.name
}

/** The number of letters to insert, remove or change to turn one word into the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1]
    for (let column = 1; column <= b.length; column += 1) {
      const changed = (row[column - 1] ?? 0) + (letter === b[column - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
