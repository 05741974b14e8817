import ignore, { type Ignore } from 'ignore'

/** Answers whether `.gitignore` files leave a path out. Paths are absolute within the tree the rules were made for. */
export interface IgnoreRules {
  isIgnored(path: string, isDirectory: boolean): boolean
  /**
   * False when no rule at all applies to what is right in this folder. `own: false` says that the folder is known to
   * have no `.gitignore`, which saves looking for one.
   */
  isRuled(folder: string, own: boolean): boolean
}

interface OwnRules {
  readonly rules: Ignore
  /** Of the folder's path with its slash. */
  readonly length: number
}

/**
 * As git reads them: a deeper file decides before a higher one, and nothing below an ignored folder comes back.
 * `readRules` gives the text of a folder's `.gitignore`, `/` being the top; each folder is asked for once at most.
 */
export function createIgnoreRules(readRules: (folder: string) => string | undefined): IgnoreRules {
  const applying = new Map<string, readonly OwnRules[]>()
  const verdicts = new Map<string, boolean>()

  /** Of a folder and all above it, the nearest first: mostly few, however deep the folder. */
  function rulesFor(folder: string, own = true): readonly OwnRules[] {
    const known = applying.get(folder)
    if (known) return known
    const above = folder === '/' ? [] : rulesFor(parent(folder))
    const text = own ? readRules(folder) : undefined
    const length = folder === '/' ? 1 : folder.length + 1
    const all = text === undefined ? above : [{ length, rules: ignore().add(text.replace(/^\ufeff/, '')) }, ...above]
    applying.set(folder, all)
    return all
  }

  function ownVerdict(path: string, isDirectory: boolean): boolean {
    for (const { length, rules } of rulesFor(parent(path))) {
      const relative = path.slice(length)
      const verdict = rules.test(isDirectory ? `${relative}/` : relative)
      if (verdict.ignored) return true
      if (verdict.unignored) return false
    }
    return false
  }

  function folderIgnored(folder: string): boolean {
    if (folder === '/') return false
    const known = verdicts.get(folder)
    if (known !== undefined) return known
    const ignored = folderIgnored(parent(folder)) || ownVerdict(folder, true)
    verdicts.set(folder, ignored)
    return ignored
  }

  return {
    isRuled: (folder, own) => rulesFor(folder, own).length > 0,
    isIgnored: (path, isDirectory) =>
      isDirectory ? folderIgnored(path) : folderIgnored(parent(path)) || ownVerdict(path, false),
  }
}

function parent(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0)) || '/'
}
