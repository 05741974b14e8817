import type { SearchScope } from '#core/ports/search.ts'
import { createIgnoreRules } from '#overlay'
import { nameOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { type ExcludeFile, readExcludes } from '../system/git/tracked-files.ts'
import { hasOddIgnoreFile, readIgnoreFile, rootPrefix, type SearchRoot } from './search-folder.ts'

/** Decides which paths a search leaves out: by the branch's `.gitignore` files, and by what the overlay hides. */
export interface ScopeRules {
  isIgnored(path: VirtualPath): boolean
  isFolderIgnored(path: VirtualPath): boolean
  /** False when no ignore rule applies to the direct entries of this listed base folder. */
  isRuled(folder: VirtualPath, hasIgnoreFile: boolean): boolean
  /** True for a file of the base that the overlay hides. */
  isHidden(path: VirtualPath): boolean
  /** True for a folder of the base in which the overlay hides everything. */
  isFolderHidden(path: VirtualPath): boolean
  /** The same for a path whose folders above are known to be visible. */
  isHiddenItself(path: VirtualPath, isFolder: boolean): boolean
  /** True when no ignore rule counts, because the scope lies in an ignored folder or asks for ignored files. */
  readonly ignoreNothing: boolean
  /** True when the overlay changes an ignore file, or one on disk is no plain file, so the engine must not read them. */
  readonly overlayDecides: boolean
  /** True when rules of an ignore file that was read so far are beyond the bounds. */
  isCut(): boolean
  /** Ignore files that belong to no folder. The engine does not read them by itself. */
  readonly excludes: readonly ExcludeFile[]
}

/** `excludes` are the ignore files that belong to no folder. */
export function createScopeRules(
  root: SearchRoot | null,
  scope: SearchScope,
  excludes: readonly ExcludeFile[] = root === null || root.repository === null ? [] : readExcludes(root.repository),
): ScopeRules {
  const prefix = root ? rootPrefix(root) : ''
  const hidden = new Set<string>(scope.hidden)
  const made = new Set<string>(scope.made)
  const isFolderHidden = (path: VirtualPath): boolean => anyPrefix(path, (above) => hidden.has(above))
  const isHidden = (path: VirtualPath): boolean => made.has(path) || isFolderHidden(path)
  const changed = new Map(
    scope.overlay.filter(({ path }) => nameOf(path) === '.gitignore').map(({ path, bytes }) => [prefix + path, bytes]),
  )
  const read = (folder: string) => {
    const file = `${folder === '/' ? '' : folder}/.gitignore`
    const bytes = changed.get(file)
    if (bytes) return new TextDecoder().decode(bytes)
    const own = file.startsWith(`${prefix}/`) ? (file.slice(prefix.length) as VirtualPath) : undefined
    return !root || (own && isHidden(own)) ? undefined : readIgnoreFile(root, folder)
  }
  const rules = createIgnoreRules(
    read,
    undefined,
    excludes.map(({ text }) => text),
  )
  const isScopeIgnored = scope.path !== '/' && rules.isIgnored(prefix + scope.path, true)
  const ignoreNothing = scope.includeIgnored || isScopeIgnored
  return {
    isIgnored: (path) => !ignoreNothing && rules.isIgnored(prefix + path, false),
    isFolderIgnored: (path) => !ignoreNothing && rules.isIgnored(prefix + path, true),
    isRuled(folder, hasIgnoreFile) {
      if (ignoreNothing) return false
      const full = folder === '/' ? prefix || '/' : prefix + folder
      return rules.isRuled(full, hasIgnoreFile || changed.has(`${folder === '/' ? prefix : full}/.gitignore`))
    },
    isCut: () => rules.cutFolders().length > 0,
    excludes,
    isHidden,
    isFolderHidden,
    isHiddenItself: (path, isFolder) => hidden.has(path) || (!isFolder && made.has(path)),
    ignoreNothing,
    overlayDecides:
      changed.size > 0 ||
      scope.hidden.some((path) => nameOf(path) === '.gitignore') ||
      (root !== null && hasOddIgnoreFile(root)),
  }
}

/** True for `.git` in any case. Content searches never enter it. */
export function isGitName(name: string): boolean {
  return /^\.git$/i.test(name)
}

export function isGitPath(path: VirtualPath): boolean {
  return path.split('/').some(isGitName)
}

function anyPrefix(path: VirtualPath, matches: (path: string) => boolean): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (matches(path.slice(0, end))) return true
  }
  return false
}
