import { type GlobToken, readToken } from './glob-tokens.ts'

/** Beyond these, a glob is not read. */
const globLimits = {
  /** Characters of a glob. */
  length: 4_096,
  /** Braces and groups within each other. */
  depth: 16,
  /** Characters that may open a set or a list. For each one, the reader looks for its end. */
  openings: 128,
} as const

export interface GlobSyntax {
  /** Whether `{a,b}` stands for alternatives. */
  readonly braces: boolean
  /** Whether `@(a|b)`, `?(a)`, `*(a)` and `+(a)` are groups. */
  readonly groups: boolean
  /** Whether `a/**` fits `a` itself. */
  readonly folderItself: boolean
}

export interface Glob {
  /** `work` counts the steps: at most one for each part of the glob at each character of the text. */
  matches(text: string, work?: { steps: number }): boolean
  /** The most parts that may fit at one character: 1 without a star or a list. Bounds the steps for each character. */
  readonly width: number
  /** False when no path of a project fits: a folder `..` or `.`, two slashes in a row, a slash at the end. */
  fitsSomePath(): boolean
}

/** Takes one character when it fits, or leads to other nodes without taking any. */
type Node =
  | { readonly kind: 'take'; readonly fits: (character: string) => boolean; next: number }
  | { readonly kind: 'fork'; readonly nexts: number[] }
  | { readonly kind: 'end' }

/**
 * A glob as a machine that is in several states at once, so it never tries anything twice. Null for a glob beyond the
 * limits, and for one with `!(…)`, which such a machine cannot express.
 */
export function compileGlob(glob: string, syntax: GlobSyntax): Glob | null {
  if (glob.length > globLimits.length || glob.split(/[[{(]/).length > globLimits.openings) return null
  const nodes: Node[] = [{ kind: 'end' }]
  const start = new Compiler(nodes, syntax).sequence(glob, { begins: true, ends: true, depth: 0 }, 0)
  if (start === null) return null
  return {
    matches: createMachine(nodes, start),
    width: widthOf(nodes),
    fitsSomePath: () => reachesPath(nodes, start, new Set([...usualCharacters, ...glob])),
  }
}

const usualCharacters = String.fromCharCode(...Array.from({ length: 95 }, (_, at) => at + 32))

/** Where a path stands: before it, after its first slash, after another slash, after one or two dots, in a name. */
const pathSteps = {
  start: { slash: 'root', dot: null, other: null },
  root: { slash: null, dot: 'dot', other: 'name' },
  slash: { slash: null, dot: 'dot', other: 'name' },
  dot: { slash: null, dot: 'dots', other: 'name' },
  dots: { slash: null, dot: 'name', other: 'name' },
  name: { slash: 'slash', dot: 'name', other: 'name' },
} as const

/** Looks for one path that leads through the machine: each node is visited at most once for each state of a path. */
function reachesPath(nodes: readonly Node[], start: number, characters: ReadonlySet<string>): boolean {
  const seen = new Set<string>()
  const waiting: (readonly [number, keyof typeof pathSteps])[] = [[start, 'start']]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [index, state] = next
    if (seen.has(`${index} ${state}`)) continue
    seen.add(`${index} ${state}`)
    const node = nodes[index]
    if (node?.kind === 'end' && (state === 'name' || state === 'root')) return true
    if (node?.kind === 'fork') waiting.push(...node.nexts.map((one) => [one, state] as const))
    if (node?.kind !== 'take') continue
    for (const character of characters) {
      const after = pathSteps[state][character === '/' ? 'slash' : character === '.' ? 'dot' : 'other']
      if (after !== null && node.fits(character)) waiting.push([node.next, after])
    }
  }
  return false
}

/** Nodes stand in the reverse order of the glob. Those before its first fork fit one after the other. */
function widthOf(nodes: readonly Node[]): number {
  const fork = nodes.findLastIndex(({ kind }) => kind === 'fork')
  return fork < 0 ? 1 : Math.min(nodes.length, fork + 2)
}

/** Where a part of a glob stands: at the start of a folder's name, at the end of the glob, and how deep. */
interface Place {
  readonly begins: boolean
  readonly ends: boolean
  readonly depth: number
}

class Compiler {
  readonly #nodes: Node[]
  readonly #syntax: GlobSyntax

  constructor(nodes: Node[], syntax: GlobSyntax) {
    this.#nodes = nodes
    this.#syntax = syntax
  }

  /** The first node of a machine for all of `text`, and then for `next`. Null when it cannot be expressed. */
  sequence(text: string, place: Place, next: number): number | null {
    if (place.depth > globLimits.depth) return null
    const tokens: { readonly token: GlobToken; readonly place: Place }[] = []
    let { begins } = place
    for (let at = 0; at < text.length; ) {
      const token: GlobToken | null = readToken(text, at, { begins, ends: place.ends }, this.#syntax)
      if (token === null) return null
      const ends = place.ends && at + token.length === text.length
      tokens.push({ token, place: { begins, ends, depth: place.depth + 1 } })
      at += token.length
      begins = token.kind === 'folders' || (token.kind === 'one' && token.isSlash === true)
    }
    let first: number | null = next
    for (const { token, place: own } of tokens.reverse()) {
      first = first === null ? null : this.#node(token, own, first)
    }
    return first
  }

  #node(token: GlobToken, place: Place, next: number): number | null {
    switch (token.kind) {
      case 'one':
        return this.#add({ kind: 'take', fits: token.fits, next })
      case 'many':
        return token.needsOne
          ? this.#add({ kind: 'take', fits: isName, next: this.#loop(isName, next) })
          : this.#loop(isName, next)
      case 'all':
        return this.#loop(isAny, next)
      case 'below': {
        // `a/**` with its slash: the folder itself, or anything below it.
        const below = this.#add({ kind: 'take', fits: isSlash, next: this.#loop(isAny, next) })
        return this.#syntax.folderItself && token.orItself ? this.#add({ kind: 'fork', nexts: [next, below] }) : below
      }
      case 'folders':
        return this.#add({
          kind: 'fork',
          nexts: [next, this.#loop(isAny, this.#add({ kind: 'take', fits: isSlash, next }))],
        })
      case 'alternatives':
        return this.#alternatives(token, place, next)
    }
  }

  #alternatives(
    { texts, times }: { readonly texts: readonly string[]; readonly times: 'once' | 'optional' | 'repeated' | 'any' },
    place: Place,
    next: number,
  ): number | null {
    const again: { readonly kind: 'fork'; readonly nexts: number[] } = { kind: 'fork', nexts: [next] }
    const after = times === 'repeated' || times === 'any' ? this.#add(again) : next
    const nexts: number[] = times === 'optional' || times === 'any' ? [next] : []
    for (const text of texts) {
      const first = this.sequence(text, place, after)
      if (first === null) return null
      nexts.push(first)
    }
    const fork = this.#add({ kind: 'fork', nexts })
    if (after !== next) again.nexts.push(fork)
    return fork
  }

  /** Any number of characters that fit. */
  #loop(fits: (character: string) => boolean, next: number): number {
    const fork: { readonly kind: 'fork'; readonly nexts: number[] } = { kind: 'fork', nexts: [next] }
    const first = this.#add(fork)
    fork.nexts.push(this.#add({ kind: 'take', fits, next: first }))
    return first
  }

  #add(node: Node): number {
    this.#nodes.push(node)
    return this.#nodes.length - 1
  }
}

function isAny(): boolean {
  return true
}

function isName(character: string): boolean {
  return character !== '/'
}

function isSlash(character: string): boolean {
  return character === '/'
}

function createMachine(nodes: readonly Node[], start: number): Glob['matches'] {
  /** The round in which a node was entered last. */
  const entered = new Float64Array(nodes.length)
  let round = 0

  /** Adds the nodes that take a character, or end, and that can be reached from one node. */
  function enter(from: number, states: number[], work: { steps: number }): void {
    const waiting = [from]
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (entered[index] === round) continue
      entered[index] = round
      work.steps += 1
      const node = nodes[index]
      if (node?.kind === 'fork') waiting.push(...node.nexts)
      else states.push(index)
    }
  }

  return (text, work = { steps: 0 }) => {
    let states: number[] = []
    round += 1
    enter(start, states, work)
    for (let at = 0; at < text.length && states.length > 0; at += 1) {
      const character = text[at] ?? ''
      const following: number[] = []
      round += 1
      for (const index of states) {
        const node = nodes[index]
        if (node?.kind === 'take' && node.fits(character)) enter(node.next, following, work)
      }
      states = following
    }
    return states.some((index) => nodes[index]?.kind === 'end')
  }
}
