import { compileGlob } from '#overlay'

/**
 * What a glob of names, which begins at `/`, means for the paths below the folder `/name`: the globs that begin there and fit the
 * same files. Empty when it fits nothing there.
 */
export function globsBelow(glob: string, name: string): readonly string[] {
  const anchored = glob.replace(/^\/+/, '').replace(/^(\*\*\/)+/, '**/')
  const { first, rest } = cutFirst(anchored)
  // `{lib/a,b}/c` has no first name before its alternatives are written out.
  if (first.includes('/')) return [...new Set(alternativesOf(anchored).flatMap((one) => globsBelow(one, name)))]
  if (first === '**')
    return rest === null || rest === '' || rest === '**' ? ['**'] : [anchored, ...globsBelow(rest, name)]
  if (rest === null || rest === '') return []
  return fits(first, name) ? [rest] : []
}

/** The same for the glob of a search in contents, where one without a slash is about names at any depth. Null for nothing. */
export function contentGlobBelow(glob: string, name: string): string | null {
  if (!glob.includes('/')) return glob
  const below = globsBelow(glob, name)
  if (below.length === 0) return null
  return `/${below.length === 1 ? below.join('') : `{${below.join(',')}}`}`
}

/** A first name that cannot be read, as for a bracket that stays open, is refused where the whole glob is used. */
function fits(first: string, name: string): boolean {
  const literal = first.replace(/[()|"+]/g, '\\$&')
  return compileGlob(literal, { braces: true, groups: false, folderItself: false })?.matches(name) ?? false
}

/** At the first slash outside of braces. `rest` is null without one. */
function cutFirst(glob: string): { readonly first: string; readonly rest: string | null } {
  const at = findOutside(glob, '/', 0)
  return at === -1 ? { first: glob, rest: null } : { first: glob.slice(0, at), rest: glob.slice(at + 1) }
}

/** The globs that the first group of braces stands for. Empty when it is not closed: the whole glob is refused where it is used. */
function alternativesOf(glob: string): readonly string[] {
  const open = glob.replace(/\\./gs, '..').indexOf('{')
  const close = open === -1 ? -1 : findOutside(glob, '}', open + 1)
  if (close === -1) return []
  const parts: string[] = []
  let from = open + 1
  for (let at = findOutside(glob, ',', from); at !== -1 && at < close; at = findOutside(glob, ',', from)) {
    parts.push(glob.slice(from, at))
    from = at + 1
  }
  parts.push(glob.slice(from, close))
  return parts.map((part) => `${glob.slice(0, open)}${part}${glob.slice(close + 1)}`)
}

/** The place of a sign that is in no braces, from a place on. -1 for none. */
function findOutside(glob: string, sign: string, from: number): number {
  let depth = 0
  for (let at = from; at < glob.length; at += 1) {
    const character = glob[at]
    if (character === '\\') at += 1
    else if (depth === 0 && character === sign) return at
    else if (character === '{') depth += 1
    else if (character === '}') depth -= 1
  }
  return -1
}
