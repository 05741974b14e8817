import ignore, { type Ignore } from 'ignore'

/** Answers whether `.gitignore` files leave a path out. Paths are absolute within the tree the rules were made for. */
export interface IgnoreRules {
  /** A rule for folders only, such as `build/`, needs `isDirectory`. */
  isIgnored(path: string, isDirectory: boolean): boolean
  /**
   * False when no rule at all applies to what is right in this folder. `own: false` says that the folder is known to
   * have no `.gitignore`, which saves looking for one.
   */
  isRuled(folder: string, own: boolean): boolean
}

interface Ruled {
  /** Of the folder and all above it, written as if they all stood in the topmost file. */
  readonly lines: readonly string[]
  readonly matcher: Ignore
}

/**
 * As git reads them: a deeper file decides before a higher one, and nothing below an ignored folder comes back.
 * `readRules` gives the text of a folder's `.gitignore`, `/` being the top; each folder is asked for once at most.
 */
export function createIgnoreRules(readRules: (folder: string) => string | undefined): IgnoreRules {
  const known = new Map<string, Ruled | null>()

  function ruledBy(folder: string, own = true): Ruled | null {
    const found = known.get(folder)
    if (found !== undefined) return found
    const above = folder === '/' ? null : ruledBy(parent(folder))
    const text = own ? readRules(folder) : undefined
    const ruled = text === undefined ? above : withRules(above, folder, text)
    known.set(folder, ruled)
    return ruled
  }

  return {
    isRuled: (folder, own) => ruledBy(folder, own) !== null,
    isIgnored(path, isDirectory) {
      if (path === '/') return false
      const matcher = ruledBy(parent(path))?.matcher
      return matcher?.ignores(isDirectory ? `${path.slice(1)}/` : path.slice(1)) ?? false
    },
  }
}

function withRules(above: Ruled | null, folder: string, text: string): Ruled {
  const own = text.replace(/^\ufeff/, '').split(/\r?\n/)
  const lines = [...(above?.lines ?? []), ...own.flatMap((line) => fromTop(line, folder))]
  return { lines, matcher: ignore({ ignorecase: false }).add(lines) }
}

/** A rule of a folder as a rule of the topmost one, which matches nothing outside the folder. */
function fromTop(line: string, folder: string): string | readonly [] {
  if (folder === '/') return line
  const rule = line.replace(/(?<!\\) +$/, '')
  if (rule === '' || rule.startsWith('#')) return []
  const isNegative = rule.startsWith('!')
  const pattern = (isNegative ? rule.slice(1) : rule).replace(/^\\(?=[!#])/, '')
  const isAnchored = pattern.slice(0, -1).includes('/')
  const place = folder.replace(/[\\*?[\] !#]/g, '\\$&')
  return `${isNegative ? '!' : ''}${place}/${isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`}`
}

function parent(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0)) || '/'
}
