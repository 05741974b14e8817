/** A source of numbers that repeats for the same seed. */
export type Random = (below: number) => number

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

const longest = 64 * 1024

const interesting = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '"',
  "'",
  '`',
  '$(',
  '\\',
  '*',
  '**/',
  '|',
  '&',
  ';',
  '<<',
  '\n',
  '\0',
  ':',
  '- ',
  '0',
  '-1',
]
const numbers = ['99999999999', '1e999', 'NaN', '__proto__', 'constructor', '\u202e', '\ud800', 'é']

/** A new input from one or two known ones. */
export function mutate(corpus: readonly Buffer[], words: readonly string[], random: Random): Buffer {
  let input = corpus[random(corpus.length)] ?? Buffer.alloc(0)
  const changes = 1 + random(4)
  for (let change = 0; change < changes; change += 1) input = changeOnce(input, corpus, words, random)
  return input.subarray(0, longest)
}

function changeOnce(input: Buffer, corpus: readonly Buffer[], words: readonly string[], random: Random): Buffer {
  const at = random(input.length + 1)
  const end = Math.min(input.length, at + 1 + random(16))
  const [before, part, after] = [input.subarray(0, at), input.subarray(at, end), input.subarray(end)]
  const other = corpus[random(corpus.length)] ?? input
  switch (random(9)) {
    case 0:
      return Buffer.concat([before, after])
    case 1:
      return Buffer.concat([before, Buffer.from([random(256)]), after])
    case 2:
      return Buffer.concat([before, text(interesting, random), part, after])
    case 3:
      return Buffer.concat([before, text(numbers, random), after])
    case 4:
      return Buffer.concat([before, text(words, random), part, after])
    case 5:
      // Many of the same thing is what a reader without a bound fails at.
      return Buffer.concat([before, ...Array.from({ length: 2 ** random(12) }, () => part), after])
    case 6:
      return Buffer.concat([before, other.subarray(random(other.length + 1))])
    case 7:
      return Buffer.concat([before, text(interesting, random), part, text(interesting, random), after])
    default:
      return Buffer.concat([before, after, part])
  }
}

function text(from: readonly string[], random: Random): Buffer {
  return Buffer.from(from[random(from.length)] ?? '')
}
