const maxComparedLines = 20_000
const maxComparedCharacters = 400
const leastSimilarity = 0.5
const shownLines = 3

/** The lines of a file that most resemble the first line of what was looked for, as a sentence; empty when none does. */
export function closestLines(text: string, wanted: string): string {
  const first = wanted
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '')
  if (first === undefined) return ''
  const pairs = pairsOf(first)
  const scored = text
    .split('\n', maxComparedLines)
    .map((line, index) => ({ line, number: index + 1, score: similarity(pairs, line.trim(), first) }))
    .filter(({ score }) => score >= leastSimilarity)
    .sort((a, b) => b.score - a.score || a.number - b.number)
    .slice(0, shownLines)
    .sort((a, b) => a.number - b.number)
  if (scored.length === 0) return ' No line of the file resembles it; read the file again.'
  const shown = scored.map(
    ({ line, number }) => `${number}\t${line.replace(/\r$/, '').slice(0, maxComparedCharacters)}`,
  )
  return ` The closest lines are:\n${shown.join('\n')}`
}

/** Dice's coefficient over pairs of neighbouring characters: 1 for equal lines, 0 for nothing in common. */
function similarity(pairs: ReadonlyMap<string, number>, line: string, first: string): number {
  if (line === first) return 1
  const [shorter, longer] = [line.length, first.length].sort((a, b) => a - b) as [number, number]
  if (shorter < 2 || shorter * 4 < longer) return 0
  let common = 0
  for (const [pair, count] of pairsOf(line)) common += Math.min(count, pairs.get(pair) ?? 0)
  return (
    (2 * common) / (Math.min(line.length, maxComparedCharacters) + Math.min(first.length, maxComparedCharacters) - 2)
  )
}

function pairsOf(line: string): ReadonlyMap<string, number> {
  const pairs = new Map<string, number>()
  for (let at = 0; at + 1 < Math.min(line.length, maxComparedCharacters); at += 1) {
    const pair = line.slice(at, at + 2)
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  return pairs
}
