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
  /** Files read so far with rules beyond the bounds, which fit nothing. Folders. */
  cutFolders(): readonly string[]
}

/**
 * Beyond `length` and `rules`, the rest of an ignore file is not read. A rule with more `stars` fits nothing. `width` is
 * for all rules of a file and of the files above it that are no plain names: the parts of their globs that may fit at one
 * character. Such a rule beyond it, and all such rules after it, fit nothing. Plain names, `*.log` and `log*` are free.
 */
const ignoreLimits = { length: 1_000_000, rules: 10_000, stars: 40, width: 5_000 } as const

/** What a rule is about: a text that is looked up, or a glob that is tried. */
type Pattern =
  | { readonly kind: 'whole' | 'start' | 'end'; readonly text: string }
  | { readonly kind: 'glob'; readonly glob: Glob }

interface Rule {
  readonly pattern: Pattern
  /** Brings back what an earlier rule excludes. */
  readonly isNegative: boolean
  readonly foldersOnly: boolean
  /** True for a rule with a slash, which is about the path below its file's folder. Others are about the name. */
  readonly isAnchored: boolean
}

/** The rules of one file, and of all files above it. */
interface Ruled {
  readonly rules: readonly Rule[]
  /** The number of the last rule for each text. Rules for folders have a slash after the key, others have none. */
  readonly texts: ReadonlyMap<string, number>
  /** The lengths of the texts that a name may start or end with. */
  readonly lengths: { readonly start: ReadonlySet<number>; readonly end: ReadonlySet<number> }
  /** The numbers of the rules with a glob. */
  readonly globs: readonly number[]
  /** Of all globs, here and above. */
  readonly width: number
  /** Characters of a path before the part below the folder of the file. */
  readonly skip: number
  readonly above: Ruled | null
  /** True when some of its own rules are beyond the bounds. */
  readonly isCut: boolean
}

/**
 * Applies rules as git does: a deeper file overrides a higher one, and nothing below an ignored folder comes back.
 * `readRules` returns the text of a folder's `.gitignore`, where `/` is the top. It is called at most once per folder.
 * `weaker` are the texts of files whose rules begin at the top too, and which every `.gitignore` overrides, the weakest
 * first. `work` counts the steps of all globs.
 */
export function createIgnoreRules(
  readRules: (folder: string) => string | undefined,
  work = { steps: 0 },
  weaker: readonly string[] = [],
): IgnoreRules {
  const known = new Map<string, Ruled | null>()
  const cut: string[] = []
  const ignoredFolders = new Map<string, boolean>([['/', false]])
  const weakest = weaker.reduce<Ruled | null>((above, text) => readFile('/', text, above), null)

  function ruledBy(folder: string, own = true): Ruled | null {
    const found = known.get(folder)
    if (found !== undefined) return found
    const above = folder === '/' ? weakest : ruledBy(parent(folder))
    const text = own ? readRules(folder) : undefined
    const ruled = text === undefined ? above : readFile(folder, text, above)
    if (ruled?.isCut && ruled !== above) cut.push(folder)
    known.set(folder, ruled)
    return ruled
  }

  function isFolderIgnored(folder: string): boolean {
    const found = ignoredFolders.get(folder)
    if (found !== undefined) return found
    const isIgnored = isFolderIgnored(parent(folder)) || isExcluded(ruledBy(parent(folder)), folder, true, work)
    ignoredFolders.set(folder, isIgnored)
    return isIgnored
  }

  return {
    cutFolders: () => cut,
    isRuled: (folder, own) => ruledBy(folder, own) !== null,
    isIgnored(path, isDirectory) {
      if (isDirectory || path === '/') return isFolderIgnored(path)
      return isFolderIgnored(parent(path)) || isExcluded(ruledBy(parent(path)), path, false, work)
    },
  }
}

/** The last rule that fits decides. */
function isExcluded(ruled: Ruled | null, path: string, isDirectory: boolean, work: { steps: number }): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  for (let file = ruled; file !== null; file = file.above) {
    const { rules, skip, globs } = file
    const text = lastText(file, path.slice(skip), name, isDirectory)
    const tried = globs.findLast((number) => {
      const rule = rules[number]
      if (number < text || rule?.pattern.kind !== 'glob' || (rule.foldersOnly && !isDirectory)) return false
      return rule.pattern.glob.matches(rule.isAnchored ? path.slice(skip) : name, work)
    })
    const rule = rules[tried ?? text]
    if (rule) return !rule.isNegative
  }
  return false
}

/** The number of the last rule with a text that fits; -1 when none does. */
function lastText({ texts, lengths }: Ruled, below: string, name: string, isDirectory: boolean): number {
  const keys = [textKey('whole', name, false), textKey('whole', below, true)]
  for (const length of lengths.start)
    if (length <= name.length) keys.push(textKey('start', name.slice(0, length), false))
  for (const length of lengths.end)
    if (length <= name.length) keys.push(textKey('end', name.slice(name.length - length), false))
  const found = keys.flatMap((key) => [texts.get(key) ?? -1, isDirectory ? (texts.get(`${key}/`) ?? -1) : -1])
  return Math.max(...found)
}

/** A name has no slash, so the slash before a path keeps both apart. */
function textKey(kind: 'whole' | 'start' | 'end', text: string, isAnchored: boolean): string {
  return `${kind} ${isAnchored ? '/' : ''}${text}`
}

function readFile(folder: string, text: string, above: Ruled | null): Ruled {
  const lines = text
    .slice(0, ignoreLimits.length)
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
  const rules: Rule[] = []
  const texts = new Map<string, number>()
  const lengths = { start: new Set<number>(), end: new Set<number>() }
  const globs: number[] = []
  let width = above?.width ?? 0
  let isCut = text.length > ignoreLimits.length || lines.length > ignoreLimits.rules
  for (const line of lines.slice(0, ignoreLimits.rules)) {
    const rule = readRule(line, width < ignoreLimits.width)
    if (rule === undefined) {
      isCut ||= !/^\s*(#|!?\/*\s*$)/.test(line)
      continue
    }
    const { pattern, isAnchored, foldersOnly } = rule
    if (pattern.kind === 'glob') {
      width += pattern.glob.width
      if (width > ignoreLimits.width) {
        isCut = true
        continue
      }
      globs.push(rules.length)
    } else {
      texts.set(`${textKey(pattern.kind, pattern.text, isAnchored)}${foldersOnly ? '/' : ''}`, rules.length)
      if (pattern.kind !== 'whole') lengths[pattern.kind].add(pattern.text.length)
    }
    rules.push(rule)
  }
  return { rules, texts, lengths, globs, width, skip: folder === '/' ? 1 : folder.length + 1, above, isCut }
}

/** Undefined for a comment, an empty line and a pattern that nothing fits. Also for a glob without `mayTry`. */
function readRule(line: string, mayTry: boolean): Rule | undefined {
  const rule = withoutEndingSpaces(line)
  if (rule === '' || rule.startsWith('#')) return undefined
  const isNegative = rule.startsWith('!')
  const written = isNegative ? rule.slice(1) : rule
  const foldersOnly = written.endsWith('/')
  const path = foldersOnly ? written.slice(0, -1) : written
  const isAnchored = path.includes('/')
  const pattern = path === '' ? undefined : (readText(path, isAnchored) ?? (mayTry ? readGlob(path) : undefined))
  return pattern && { pattern, isNegative, foldersOnly, isAnchored }
}

/** A rule that is a text, or a name with one star at its start or its end. Undefined for any other. */
function readText(path: string, isAnchored: boolean): Pattern | undefined {
  const text = path.replace(/^\//, '')
  if (!/[*?[\\]/.test(text)) return { kind: 'whole', text }
  const [, end] = /^\*([^*?[\\]+)$/.exec(text) ?? []
  if (end !== undefined && !isAnchored) return { kind: 'end', text: end }
  const [, start] = /^([^*?[\\]+)\*$/.exec(text) ?? []
  return start !== undefined && !isAnchored ? { kind: 'start', text: start } : undefined
}

const syntax = { braces: false, groups: false, folderItself: false } as const

function readGlob(path: string): Pattern | undefined {
  if (path.split('*').length > ignoreLimits.stars) return undefined
  const glob = compileGlob(path.replace(/^\//, '').replace(moreStars, '$1**'), syntax)
  return glob ? { kind: 'glob', glob } : undefined
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
