/**
 * Text like that of people and models: a few thousand words, with common words more often. The same seed gives the
 * same text.
 */
export function proseOf(seed: number, bytes: number): string {
  const next = randomFrom(seed)
  let text = ''
  while (text.length < bytes) {
    const rank = Math.floor(vocabulary ** next())
    text += `${wordAt(rank)}${next() < 0.08 ? '. ' : ' '}`
  }
  return text.slice(0, bytes)
}

const vocabulary = 4_000
const syllables = [
  'ta',
  'ren',
  'mo',
  'lis',
  'e',
  'quor',
  'and',
  'im',
  'pu',
  'ster',
  'o',
  'vil',
  'ca',
  'ne',
  'th',
  'ing',
]

function wordAt(rank: number): string {
  let word = ''
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / syllables.length)) {
    word += syllables[rest % syllables.length] ?? ''
  }
  return word
}

/** Mulberry32 by Tommy Ettinger: numbers from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
