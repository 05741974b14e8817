/** True when the rest of a name fits from position `at`. */
type Step = (name: string, at: number) => boolean

/**
 * A matcher for globs on which a regular expression backtracks for hours, such as `*a*a*a*a*b` on a long name. Here
 * each wildcard tries each position once. `oneOf` makes a test for a single character.
 */
export function compileSteps(
  glob: string,
  oneOf: (text: string) => (character: string) => boolean,
): (name: string) => boolean {
  const memories: Set<number>[] = []

  /** Remembers the positions that did not fit, so that none is tried twice. */
  function remembering(step: Step): Step {
    const denied = new Set<number>()
    memories.push(denied)
    return (name, at) => {
      if (denied.has(at)) return false
      const fits = step(name, at)
      if (!fits) denied.add(at)
      return fits
    }
  }

  /** Matches all of `text`, then `next`. */
  function sequence(text: string, beginsFolder: boolean, next: Step): Step {
    if (text === '') return next
    const token = firstToken(text, beginsFolder)
    const begins = token.kind === 'folders' || (token.kind === 'character' && token.character === '/')
    return stepOf(token, beginsFolder, sequence(text.slice(token.length), begins, next))
  }

  function stepOf(token: GlobToken, beginsFolder: boolean, next: Step): Step {
    switch (token.kind) {
      case 'character':
        return (name, at) => name[at] === token.character && next(name, at + 1)
      case 'oneOf': {
        const isOne = oneOf(token.text)
        return (name, at) => at < name.length && name[at] !== '/' && isOne(name[at] ?? '') && next(name, at + 1)
      }
      case 'many':
        return remembering((name, at) => fitsWithin(name, at, endOfName(name, at), next))
      case 'all':
        return remembering((name, at) => fitsWithin(name, at, name.length, next))
      case 'folders':
        return remembering((name, at) => fitsBelow(name, at, next))
      case 'alternatives': {
        const after = remembering(next)
        const ways = token.texts.map((text) => sequence(text, beginsFolder, after))
        return (name, at) => ways.some((way) => way(name, at))
      }
    }
  }

  const whole = sequence(glob, true, (name, at) => at === name.length)
  return (name) => {
    for (const denied of memories) denied.clear()
    return whole(name, 0)
  }
}

function fitsWithin(name: string, start: number, end: number, next: Step): boolean {
  for (let at = start; at <= end; at += 1) if (next(name, at)) return true
  return false
}

/** Matches after any number of whole folders. */
function fitsBelow(name: string, start: number, next: Step): boolean {
  for (let at = start; ; ) {
    if (next(name, at)) return true
    const slash = name.indexOf('/', at)
    if (slash < 0) return false
    at = slash + 1
  }
}

function endOfName(name: string, at: number): number {
  const slash = name.indexOf('/', at)
  return slash < 0 ? name.length : slash
}

/** The element at one position of a glob, and its length in characters. */
export type GlobToken =
  /** Exactly one character of a name: a fixed one, or one that the text allows. */
  | { readonly kind: 'character'; readonly length: number; readonly character: string }
  | { readonly kind: 'oneOf'; readonly length: number; readonly text: string }
  /** Any number of characters: of one name, of the whole path, or of whole folders. */
  | { readonly kind: 'many' | 'all' | 'folders'; readonly length: number }
  | { readonly kind: 'alternatives'; readonly length: number; readonly texts: readonly string[] }

/** The first token of a non-empty text. `**` crosses folders only at the start of one. */
function firstToken(text: string, beginsFolder: boolean): GlobToken {
  const stars = /^\*+/.exec(text)?.[0].length ?? 0
  if (stars === 2 && beginsFolder && text[2] === '/') return { kind: 'folders', length: 3 }
  if (stars === 2 && beginsFolder && text.length === 2) return { kind: 'all', length: 2 }
  if (stars > 0) return { kind: 'many', length: stars }
  const one = /^(?:\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]])*\]|\{.\.\..\}|\?)/s.exec(text)?.[0]
  if (one !== undefined) return { kind: 'oneOf', length: one.length, text: one }
  if (text.startsWith('{')) return bracesAt(text) ?? { kind: 'character', length: 1, character: '{' }
  if (text.startsWith('\\') && text.length > 1) return { kind: 'character', length: 2, character: text[1] ?? '' }
  return { kind: 'character', length: 1, character: text[0] ?? '' }
}

/** Undefined when the braces hold no comma, because then they stand for themselves. */
function bracesAt(text: string): GlobToken | undefined {
  const texts: string[] = []
  let depth = 0
  let start = 1
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '\\') at += 1
    else if (character === '{') depth += 1
    else if (character === '}') depth -= 1
    if ((character === ',' && depth === 1) || depth === 0) {
      texts.push(text.slice(start, at))
      start = at + 1
    }
    if (depth === 0) return texts.length > 1 ? { kind: 'alternatives', length: at + 1, texts } : undefined
  }
  return undefined
}
