/** The element at one position of a glob, and its length in characters. */
export type GlobToken =
  /** Exactly one character. */
  | {
      readonly kind: 'one'
      readonly length: number
      readonly fits: (character: string) => boolean
      readonly isSlash?: boolean
    }
  /** Any number of characters of one name; at least one when the star is the whole name. */
  | { readonly kind: 'many'; readonly length: number; readonly needsOne: boolean }
  /** Any number of characters of the whole path, or of whole folders. */
  | { readonly kind: 'all' | 'folders'; readonly length: number }
  /** A slash and everything below a folder. `orItself` is false after a star, because `a*` may be a file. */
  | { readonly kind: 'below'; readonly length: number; readonly orItself: boolean }
  | {
      readonly kind: 'alternatives'
      readonly length: number
      readonly texts: readonly string[]
      readonly times: 'once' | 'optional' | 'repeated' | 'any'
    }

/** Whether a name of a folder begins here, and whether the text ends with the whole glob. */
interface TokenPlace {
  readonly begins: boolean
  readonly ends: boolean
}

interface TokenSyntax {
  readonly braces: boolean
  readonly groups: boolean
}

/** The token at a position. `**` crosses folders only at the start of one. Null for `!(…)`. */
export function readToken(glob: string, at: number, place: TokenPlace, syntax: TokenSyntax): GlobToken | null {
  const { begins: beginsFolder } = place
  const character = glob[at] ?? ''
  if (syntax.groups && glob[at + 1] === '(' && '?*+@!'.includes(character)) {
    const group = listAt(glob, at + 1, '(', ')', '|')
    if (group && character === '!') return null
    if (group) return { kind: 'alternatives', length: group.length + 1, texts: group.texts, times: timesOf(character) }
  }
  switch (character) {
    case '*':
      return starAt(glob, at, beginsFolder)
    case '?':
      return { kind: 'one', length: 1, fits: (one) => one !== '/' }
    case '[':
      return classAt(glob, at) ?? literal('[', 1)
    case '{': {
      const list = syntax.braces ? listAt(glob, at, '{', '}', ',') : undefined
      if (list && list.texts.length > 1) return { kind: 'alternatives', ...list, times: 'once' }
      const range = syntax.braces ? /^\{(.)\.\.(.)\}/s.exec(glob.slice(at, at + 6)) : null
      if (range?.[1] === undefined || range[2] === undefined) return literal('{', 1)
      const [low, high] = [range[1], range[2]].sort()
      return { kind: 'one', length: 6, fits: (one) => (low ?? '') <= one && one <= (high ?? '') }
    }
    case '/':
      if (place.ends && at > 0 && glob.length === at + 3 && glob.endsWith('/**'))
        return { kind: 'below', length: 3, orItself: glob[at - 1] !== '*' }
      return { ...literal('/', 1), isSlash: true }
    case '\\':
      return at + 1 < glob.length ? literal(glob[at + 1] ?? '', 2) : literal('\\', 1)
    default:
      return literal(character, 1)
  }
}

function literal(character: string, length: number): GlobToken & { readonly kind: 'one' } {
  return { kind: 'one', length, fits: (one) => one === character }
}

function timesOf(character: string): 'once' | 'optional' | 'repeated' | 'any' {
  if (character === '?') return 'optional'
  if (character === '*') return 'any'
  return character === '+' ? 'repeated' : 'once'
}

function starAt(glob: string, at: number, beginsFolder: boolean): GlobToken {
  let length = 1
  while (glob[at + length] === '*') length += 1
  const after = glob[at + length]
  if (length === 2 && beginsFolder && after === '/') return { kind: 'folders', length: 3 }
  if (length === 2 && beginsFolder && after === undefined) return { kind: 'all', length: 2 }
  return { kind: 'many', length, needsOne: beginsFolder && (after === undefined || after === '/') }
}

/** The alternatives of a list that opens at a position. Undefined when it does not close. */
function listAt(
  glob: string,
  at: number,
  open: string,
  close: string,
  comma: string,
): { readonly length: number; readonly texts: readonly string[] } | undefined {
  const texts: string[] = []
  let depth = 0
  let start = at + 1
  for (let index = at; index < glob.length; index += 1) {
    const character = glob[index]
    if (character === '\\') index += 1
    else if (character === open) depth += 1
    else if (character === close) depth -= 1
    if ((character === comma && depth === 1) || depth === 0) {
      texts.push(glob.slice(start, index))
      start = index + 1
    }
    if (depth === 0) return { length: index + 1 - at, texts }
  }
  return undefined
}

const posixClasses: Readonly<Record<string, RegExp>> = {
  alnum: /[a-z\d]/i,
  alpha: /[a-z]/i,
  blank: /[ \t]/,
  digit: /\d/,
  lower: /[a-z]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  word: /\w/,
  xdigit: /[\da-f]/i,
}

/** `[a-z]`, `[!a]`, `[[:digit:]]`. Undefined when it does not close. */
function classAt(glob: string, at: number): GlobToken | undefined {
  const isNegative = glob[at + 1] === '!' || glob[at + 1] === '^'
  const tests: ((one: string) => boolean)[] = []
  const first = at + (isNegative ? 2 : 1)
  for (let index = first; index < glob.length; ) {
    if (glob[index] === ']' && index > first) {
      const fits = (one: string): boolean => one !== '/' && tests.some((test) => test(one)) !== isNegative
      return { kind: 'one', length: index + 1 - at, fits }
    }
    const named =
      glob[index] === '[' && glob[index + 1] === ':' ? /^\[:(\w+):\]/.exec(glob.slice(index, index + 16)) : null
    const set = posixClasses[named?.[1] ?? '']
    if (named && set) {
      tests.push((one) => set.test(one))
      index += named[0].length
      continue
    }
    const [low, afterLow] = classCharacter(glob, index)
    if (glob[afterLow] === '-' && afterLow + 1 < glob.length && glob[afterLow + 1] !== ']') {
      const [high, afterHigh] = classCharacter(glob, afterLow + 1)
      tests.push((one) => low <= one && one <= high)
      index = afterHigh
    } else {
      tests.push((one) => one === low)
      index = afterLow
    }
  }
  return undefined
}

function classCharacter(glob: string, at: number): readonly [string, number] {
  return glob[at] === '\\' && at + 1 < glob.length ? [glob[at + 1] ?? '', at + 2] : [glob[at] ?? '', at + 1]
}
