import type { GrepQuery } from '#core/ports/search.ts'
import { gramsOf, mayHoldGram, type Signature } from './grams.ts'

/** What every text with a match must hold: a sequence by its key, all of several requirements, or any of them. */
export type Requirement =
  | { readonly kind: 'gram'; readonly key: number }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Requirement[] }

/** More sequences than this cost more to look up than they exclude. */
const mostGrams = 2_000
const mostOfLiteral = 32

/**
 * What a text must hold to match the query. Null when nothing is certain: then any text may match. It reads the syntax
 * of the engine, and gives up at everything it does not know.
 */
export function requirementOf(query: Pick<GrepQuery, 'pattern' | 'literal' | 'caseInsensitive' | 'multiline'>) {
  const { pattern, literal, caseInsensitive } = query
  if (/[\n\r]/.test(pattern)) return null
  const reader = createReader(pattern, caseInsensitive)
  const requirement = literal ? reader.literal([...pattern]) : reader.pattern()
  return requirement && countGrams(requirement) <= mostGrams ? requirement : null
}

/** False proves that the text of the signature does not match. */
export function mayMatch(requirement: Requirement, signature: Signature): boolean {
  switch (requirement.kind) {
    case 'gram':
      return mayHoldGram(signature, requirement.key)
    case 'all':
      return requirement.of.every((part) => mayMatch(part, signature))
    case 'any':
      return requirement.of.some((part) => mayMatch(part, signature))
  }
}

function countGrams(requirement: Requirement): number {
  return requirement.kind === 'gram' ? 1 : requirement.of.reduce((sum, part) => sum + countGrams(part), 0)
}

/** Thrown at syntax that this reader does not know. */
class UnknownSyntax extends Error {}

/** Characters that stand for themselves and follow each other, or something else that must match there. */
type Atom = { readonly text: string } | { readonly need: Requirement | null }

function createReader(pattern: string, caseInsensitive: boolean) {
  const characters = [...pattern]
  let at = 0

  function alternatives(depth: number): Requirement | null {
    if (depth > 50) throw new UnknownSyntax()
    const branches = [sequence(depth)]
    while (characters[at] === '|') {
      at += 1
      branches.push(sequence(depth))
    }
    const needs = branches.filter((branch) => branch !== null)
    return needs.length === branches.length ? joined('any', needs) : null
  }

  function sequence(depth: number): Requirement | null {
    const needs: (Requirement | null)[] = []
    let run: string[] = []
    const endRun = () => {
      needs.push(literalOf(run, caseInsensitive))
      run = []
    }
    while (at < characters.length && characters[at] !== '|' && characters[at] !== ')') {
      const atom = readAtom(depth)
      const repeat = readRepeat()
      if (repeat !== 'optional') {
        if ('text' in atom) run.push(atom.text)
        else needs.push(atom.need)
      }
      if (repeat !== 'once' || !('text' in atom)) endRun()
    }
    endRun()
    return allOf(needs)
  }

  function readAtom(depth: number): Atom {
    const character = characters[at] ?? ''
    at += 1
    if (character === '(') return readGroup(depth)
    if (character === '[') return skipClass()
    if (character === '\\') return readEscape()
    if ('*+?{'.includes(character)) throw new UnknownSyntax()
    return '.^$'.includes(character) ? { need: null } : { text: character }
  }

  function readGroup(depth: number): Atom {
    const opening = /^\?(?:P?<\w+>|:)/.exec(characters.slice(at, at + 60).join(''))?.[0] ?? ''
    at += opening.length
    if (characters[at] === '?') throw new UnknownSyntax()
    const need = alternatives(depth + 1)
    if (characters[at] !== ')') throw new UnknownSyntax()
    at += 1
    return { need }
  }

  /** Skips a class whose bracket was read, with the classes inside. A bracket that closes right away is a character. */
  function skipClass(): Atom {
    if (characters[at] === '^') at += 1
    if (characters[at] === ']') at += 1
    while (characters[at] !== ']') {
      if (at >= characters.length) throw new UnknownSyntax()
      at += characters[at] === '\\' ? 2 : 1
      if (characters[at - 1] === '[') skipClass()
    }
    at += 1
    return { need: null }
  }

  function readEscape(): Atom {
    const character = characters[at] ?? ''
    at += 1
    if (/^[dDsSwWbBAznrtfv<>]$/.test(character) && characters[at] !== '{') return { need: null }
    if (/^[!-/:;=?@[-`{-~]$/.test(character)) return { text: character }
    throw new UnknownSyntax()
  }

  function readRepeat(): 'once' | 'some' | 'optional' {
    let repeat: 'once' | 'some' | 'optional' = 'once'
    for (;;) {
      const character = characters[at] ?? ' '
      if (!'*+?{'.includes(character)) return repeat
      const least = character === '{' ? readBounds() : character === '+' ? 1 : 0
      if (character !== '{') at += 1
      if (characters[at] === '?') at += 1
      if (repeat !== 'optional') repeat = least > 0 ? 'some' : 'optional'
    }
  }

  function readBounds(): number {
    const bounds = /^\{(\d{1,4})(?:,\d{0,4})?\}/.exec(characters.slice(at, at + 12).join(''))
    if (!bounds) throw new UnknownSyntax()
    at += bounds[0].length
    return Number(bounds[1])
  }

  return {
    literal: (text: readonly string[]) => literalOf(text, caseInsensitive),
    pattern(): Requirement | null {
      try {
        const requirement = alternatives(0)
        return at === characters.length ? requirement : null
      } catch (error) {
        if (error instanceof UnknownSyntax) return null
        throw error
      }
    },
  }
}

/** In another case, a letter outside ASCII has other bytes. So only the parts between such letters count then. */
function literalOf(characters: readonly string[], caseInsensitive: boolean): Requirement | null {
  const text = characters.join('')
  const parts = caseInsensitive ? text.split(/[^\0-\x7f]+/) : [text]
  return allOf(
    parts.flatMap((part) => spread(gramsOf(Buffer.from(part))).map((key) => ({ kind: 'gram' as const, key }))),
  )
}

/** At most `mostOfLiteral` of the keys, from all parts of the text. */
function spread(keys: readonly number[]): readonly number[] {
  const step = Math.max(1, keys.length / mostOfLiteral)
  return keys.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
}

function allOf(needs: readonly (Requirement | null)[]): Requirement | null {
  const known = needs.filter((need) => need !== null)
  return known.length > 0 ? joined('all', known) : null
}

function joined(kind: 'all' | 'any', of: readonly Requirement[]): Requirement {
  const [only] = of
  return only && of.length === 1 ? only : { kind, of }
}
