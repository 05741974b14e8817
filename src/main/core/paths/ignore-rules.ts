import ignore, { type Ignore } from 'ignore'

/** Answers whether `.gitignore` files exclude a path. Paths are absolute within the tree that the rules belong to. */
export interface IgnoreRules {
  /** A rule for folders only, such as `build/`, applies if `isDirectory`. */
  isIgnored(path: string, isDirectory: boolean): boolean
  /**
   * False when no rule applies to the direct content of this folder. Pass `own: false` if the folder is known to have
   * no `.gitignore`, which saves the lookup.
   */
  isRuled(folder: string, own: boolean): boolean
}

interface Ruled {
  /** The lines of the folder and all folders above it, rewritten as if they were in the topmost file. */
  readonly lines: readonly string[]
  readonly matcher: Ignore
}

/**
 * Applies rules as git does: a deeper file overrides a higher one, and nothing below an ignored folder comes back.
 * `readRules` returns the text of a folder's `.gitignore`, where `/` is the top. It is called at most once per folder.
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

/** Rewrites a folder's rule as a rule of the topmost folder that matches nothing outside the folder. */
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
