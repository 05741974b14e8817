import type { GitIgnores } from '../ports/base-tree.ts'
import { createIgnoreRules } from './ignore-rules.ts'

/** What is true without a repository. */
export const noGit: GitIgnores = {
  ...{ prefix: '', above: () => undefined, excludes: [] },
  ...{ isTracked: () => false, inner: () => null, problem: null },
}

/** Which paths of the project git leaves out. */
export interface GitRules {
  isLeftOut(path: string, isDirectory: boolean): boolean
  /** Folders whose `.gitignore` was too long to be read to its end, among those looked at so far. */
  cutFolders(): readonly string[]
}

/**
 * Answers as git does whether a path of the project is left out: by the ignore files in it and above it, and by those of the
 * repository and of the person. What git tracks never is, nor is a folder that holds it. `.git` itself always is. In a
 * repository inside the project, which is not left out as a whole, that one alone decides.
 * `readRules` returns the text of a project folder's `.gitignore`, at most once for each.
 */
export function createGitRules(readRules: (folder: string) => string | undefined, git: GitIgnores): GitRules {
  const own = createOwnRules(readRules, git)
  const inner = new Map<string, GitRules | null>()
  const ruleOf = (folder: string): GitRules | null => {
    const known = inner.get(folder)
    if (known !== undefined) return known
    const found = git.inner(folder)
    const made = found && createGitRules((below) => readRules(below === '/' ? folder : folder + below), found)
    inner.set(folder, made)
    return made
  }
  return {
    isLeftOut(path, isDirectory) {
      for (let end = path.indexOf('/', 1); end > 0; end = path.indexOf('/', end + 1)) {
        const folder = path.slice(0, end)
        const rules = ruleOf(folder)
        if (rules) return own.isLeftOut(folder, true) || rules.isLeftOut(path.slice(end), isDirectory)
      }
      return own.isLeftOut(path, isDirectory)
    },
    cutFolders: () => [
      ...own.cutFolders(),
      ...[...inner].flatMap(([folder, rules]) => rules?.cutFolders().map((below) => folder + below) ?? []),
    ],
  }
}

function createOwnRules(
  readRules: (folder: string) => string | undefined,
  { prefix, above, excludes, isTracked }: GitIgnores,
): GitRules {
  const read = (folder: string) => {
    const below = `${folder === '/' ? '' : folder}/`
    return below.startsWith(`${prefix}/`) ? readRules(below.slice(prefix.length, -1) || '/') : above(folder)
  }
  const rules = createIgnoreRules(read, undefined, excludes)
  return {
    isLeftOut: (path, isDirectory) =>
      /\/\.git(\/|$)/i.test(path) || (rules.isIgnored(prefix + path, isDirectory) && !isTracked(path, isDirectory)),
    cutFolders: () => rules.cutFolders(),
  }
}
