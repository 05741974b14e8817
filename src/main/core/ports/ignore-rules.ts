import ignore, { type Ignore } from 'ignore'

/** Answers whether `.gitignore` files leave a path out. Paths are absolute within the tree the rules were made for. */
export interface IgnoreRules {
  isIgnored(path: string, isDirectory: boolean): boolean
}

/**
 * As git reads them: a deeper file decides before a higher one, and nothing below an ignored folder comes back.
 * `readRules` gives the text of a folder's `.gitignore`, `/` being the top; each folder is asked for once at most.
 */
export function createIgnoreRules(readRules: (folder: string) => string | undefined): IgnoreRules {
  const rulesOf = new Map<string, Ignore | null>()
  const verdicts = new Map<string, boolean>()

  function rules(folder: string): Ignore | null {
    const known = rulesOf.get(folder)
    if (known !== undefined) return known
    const text = readRules(folder)
    const made = text === undefined ? null : ignore().add(text.replace(/^\ufeff/, ''))
    rulesOf.set(folder, made)
    return made
  }

  function ownVerdict(path: string, isDirectory: boolean): boolean {
    for (let folder = parent(path); ; folder = parent(folder)) {
      const relative = path.slice(folder === '/' ? 1 : folder.length + 1)
      const verdict = rules(folder)?.test(isDirectory ? `${relative}/` : relative)
      if (verdict?.ignored) return true
      if (verdict?.unignored || folder === '/') return false
    }
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
    isIgnored: (path, isDirectory) =>
      isDirectory ? folderIgnored(path) : folderIgnored(parent(path)) || ownVerdict(path, false),
  }
}

function parent(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0)) || '/'
}
