import { compileGlob, type Glob } from './path-glob.ts'

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

/** Beyond the first two, the rest of an ignore file is not read. A rule with more stars fits nothing. */
const ignoreLimits = { length: 1_000_000, rules: 10_000, stars: 40 } as const

interface Rule {
  readonly glob: Glob
  /** Brings back what an earlier rule excludes. */
  readonly isNegative: boolean
  readonly foldersOnly: boolean
  /** True for a rule with a slash, which is about the path below its file's folder. Others are about the name. */
  readonly isAnchored: boolean
  /** Characters of the path before the part below the folder of the file. */
  readonly skip: number
}

/** The rules of one file, and of all files above it. */
interface Ruled {
  readonly rules: readonly Rule[]
  readonly above: Ruled | null
}

/**
 * Applies rules as git does: a deeper file overrides a higher one, and nothing below an ignored folder comes back.
 * `readRules` returns the text of a folder's `.gitignore`, where `/` is the top. It is called at most once per folder.
 */
export function createIgnoreRules(readRules: (folder: string) => string | undefined): IgnoreRules {
  const known = new Map<string, Ruled | null>()
  const ignoredFolders = new Map<string, boolean>([['/', false]])

  function ruledBy(folder: string, own = true): Ruled | null {
    const found = known.get(folder)
    if (found !== undefined) return found
    const above = folder === '/' ? null : ruledBy(parent(folder))
    const text = own ? readRules(folder) : undefined
    const ruled = text === undefined ? above : { rules: readFile(folder, text), above }
    known.set(folder, ruled)
    return ruled
  }

  function isFolderIgnored(folder: string): boolean {
    const found = ignoredFolders.get(folder)
    if (found !== undefined) return found
    const isIgnored = isFolderIgnored(parent(folder)) || isExcluded(ruledBy(parent(folder)), folder, true)
    ignoredFolders.set(folder, isIgnored)
    return isIgnored
  }

  return {
    isRuled: (folder, own) => ruledBy(folder, own) !== null,
    isIgnored(path, isDirectory) {
      if (isDirectory || path === '/') return isFolderIgnored(path)
      return isFolderIgnored(parent(path)) || isExcluded(ruledBy(parent(path)), path, false)
    },
  }
}

/** The last rule that fits decides. */
function isExcluded(ruled: Ruled | null, path: string, isDirectory: boolean): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  for (let file = ruled; file !== null; file = file.above) {
    const rule = file.rules.findLast(
      ({ glob, foldersOnly, isAnchored, skip }) =>
        (isDirectory || !foldersOnly) && glob.matches(isAnchored ? path.slice(skip) : name),
    )
    if (rule) return !rule.isNegative
  }
  return false
}

function readFile(folder: string, text: string): readonly Rule[] {
  const lines = text
    .slice(0, ignoreLimits.length)
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
  return lines.slice(0, ignoreLimits.rules).flatMap((line) => readRule(folder, line) ?? [])
}

const syntax = { braces: false, groups: false, folderItself: false } as const

/** Undefined for a comment, an empty line and a pattern that nothing fits. */
function readRule(folder: string, line: string): Rule | undefined {
  const rule = withoutEndingSpaces(line)
  if (rule === '' || rule.startsWith('#')) return undefined
  const isNegative = rule.startsWith('!')
  const pattern = isNegative ? rule.slice(1) : rule
  const foldersOnly = pattern.endsWith('/')
  const path = foldersOnly ? pattern.slice(0, -1) : pattern
  const isAnchored = path.includes('/')
  const isReadable = path !== '' && path.split('*').length <= ignoreLimits.stars
  const glob = isReadable ? compileGlob(path.replace(/^\//, '').replace(moreStars, '$1**'), syntax) : null
  const skip = folder === '/' ? 1 : folder.length + 1
  return glob ? { glob, isNegative, foldersOnly, isAnchored, skip } : undefined
}

/** Three and more stars mean the same as two. */
const moreStars = /(^|\/)\*{3,}(?=\/|$)/g

/** Removes the spaces at the end, except one after a backslash. */
function withoutEndingSpaces(line: string): string {
  let end = line.length
  while (end > 0 && line[end - 1] === ' ' && line[end - 2] !== '\\') end -= 1
  return line.slice(0, end)
}

function parent(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0)) || '/'
}
