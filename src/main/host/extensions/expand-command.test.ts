import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filesNamedIn } from '#shared/model/messages/mentions.ts'
import { expandCommand, wordsOf } from './expand-command.ts'

const expand = (body: string, given = '') => expandCommand(body, given)?.text

describe('the body of a command', () => {
  it('gets all words, single words by number, and words that are quoted as one', () => {
    expect(expand('Fix #$1 ($2): $ARGUMENTS', '12 "very high"')).toBe('Fix #12 (very high): 12 "very high"')
    expect(expand('$1 $2', "it's 'a b'")).toBe("it's a b")
    expect(expand('[$3]', 'a b')).toBe('[]')
  })

  it('counts words from 0 where it names a first one so', () => {
    expect(expand('From $0 to $1', 'a b')).toBe('From a to b')
    expect(expand('$ARGUMENTS[1], then $1', 'a b')).toBe('b, then b')
  })

  it('reads two digits as one number, and larger ones and escaped signs as text', () => {
    const words = Array.from({ length: 12 }, (_, index) => `w${index + 1}`).join(' ')
    expect(expand('$10 $1', words)).toBe('w10 w1')
    expect(expand(String.raw`$100, $1000, \$1 and \$ARGUMENTS for $1, $x`, 'me')).toBe(
      '$100, $1000, $1 and $ARGUMENTS for me, $x',
    )
  })

  it('is followed by words that it has no place for', () => {
    expect(expand('Review it.', 'all of src')).toBe('Review it.\n\nARGUMENTS: all of src')
    expect(expand('Review it.')).toBe('Review it.')
  })

  it('keeps commands of a shell as text', () => {
    expect(expand('Now: !`git status`')).toBe('Now: !`git status`')
  })

  it('names files, also by a word of the person, but not what the words hold', () => {
    expect(expandCommand('See @src/a.ts, @$1 and (@docs/). Mail me@x.org', '@b.ts')?.named).toEqual([
      'src/a.ts',
      '@b.ts',
      'docs/',
    ])
    expect(expandCommand('Do $ARGUMENTS', 'it with @src/a.ts')?.named).toEqual([])
  })
})

describe('a command of anybody', () => {
  // Mutation: fill without a bound. The text is then longer than a text can be.
  it('does not get longer than a message, however often it repeats the words of a person', () => {
    const [body, said] = ['$ARGUMENTS '.repeat(20_000), 'x'.repeat(100_000)]
    expect(expandCommand(body, said)).toBeNull()
    expect(expandCommand(body, 'few')?.text).toHaveLength(20_000 * 4 - 1)
    expect(expandCommand('@$1'.repeat(80_000), said)).toBeNull()
  })

  // Mutation: take the punctuation away by an expression. It then takes minutes.
  it('is read through once, whatever follows an @', () => {
    const name = `${')'.repeat(250_000)}x`
    expect(expandCommand(`See @${name}).`, '')?.named).toEqual([name])
    expect(filesNamedIn(`See @${name}).`)).toEqual([name])
  })
})

// Mutation: fill what was filled in once more, or use a text as the replacement, in which `$&` means something.
describe('a law', () => {
  const word = fc
    .array(fc.constantFrom('$1', '$ARGUMENTS', '$&', '$$', '$10', '\\$', '@a', '"', "'", 'x', 'ü', '🌱', '`'), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.join(''))
    .filter((text) => !/^["']/.test(text))
  const gap = fc.constantFrom(' ', '\n', '\t', '  ')

  it('says that words come through whole, once, whatever they hold', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, gap), { minLength: 1, maxLength: 12 }), (parts) => {
        const given = parts.flat().join('').trim()
        const words = parts.map(([one]) => one)
        expect(wordsOf(given)).toEqual(words)
        expect(expand('<$ARGUMENTS>', given)).toBe(`<${given}>`)
        const numbered = words.map((_, index) => `$${index + 1}`).join('|')
        expect(expand(`<${numbered}>`, given)).toBe(`<${words.join('|')}>`)
      }),
    )
  })

  it('says that a body without signs stays as it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).map((text) => text.replaceAll('$', '')),
        (body) => {
          expect(expand(body)).toBe(body.trim())
        },
      ),
    )
  })
})
