import { firstToken, type GlobToken } from './glob-tokens.ts'

/** Whether the rest of a name fits from a place on. */
type Step = (name: string, at: number) => boolean

/**
 * A matcher for globs that a regular expression would try in too many ways: it takes hours to deny `*a*a*a*a*b` of a
 * long name. Here each wildcard looks once from each place of a name. `oneOf` makes a test of a single character.
 */
export function compileSteps(
  glob: string,
  oneOf: (text: string) => (character: string) => boolean,
): (name: string) => boolean {
  const memories: Set<number>[] = []

  /** Where it did not fit once, it does not have to look again. */
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

  /** All of `text`, then `next`. */
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

/** After any number of whole folders. */
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
