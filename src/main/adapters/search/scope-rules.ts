import { createIgnoreRules } from '#core/ports/ignore-rules.ts'
import type { SearchScope } from '#core/ports/search.ts'
import { isWithin, nameOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { readIgnoreFile, rootPrefix, type SearchRoot } from './search-folder.ts'

/** Which paths a search leaves out: by `.gitignore` as the branch has it, and by what the overlay hides. */
export interface ScopeRules {
  isIgnored(path: VirtualPath): boolean
  isHidden(path: VirtualPath): boolean
  /** The scope lies in an ignored folder, or asks for ignored files: no ignore rule counts. */
  readonly ignoreNothing: boolean
  /** The overlay changes an ignore file, so that the engine must not read those on disk. */
  readonly overlayDecides: boolean
}

export function createScopeRules(root: SearchRoot | null, scope: SearchScope): ScopeRules {
  const prefix = root ? rootPrefix(root) : ''
  const hidden = new Set<string>(scope.hidden)
  const isHidden = (path: VirtualPath): boolean => anyPrefix(path, (above) => hidden.has(above))
  const changed = new Map(
    scope.overlay.filter(({ path }) => nameOf(path) === '.gitignore').map(({ path, bytes }) => [prefix + path, bytes]),
  )
  const rules = createIgnoreRules((folder) => {
    const file = `${folder === '/' ? '' : folder}/.gitignore`
    const bytes = changed.get(file)
    if (bytes) return new TextDecoder().decode(bytes)
    const own = file.startsWith(`${prefix}/`) ? (file.slice(prefix.length) as VirtualPath) : undefined
    return !root || (own && isHidden(own)) ? undefined : readIgnoreFile(root, folder)
  })
  const isFolderIgnored = scope.path !== '/' && rules.isIgnored(prefix + scope.path, true)
  const ignoreNothing = scope.includeIgnored || isFolderIgnored
  return {
    isIgnored: (path) => !ignoreNothing && rules.isIgnored(prefix + path, false),
    isHidden,
    ignoreNothing,
    overlayDecides: changed.size > 0 || scope.hidden.some((path) => nameOf(path) === '.gitignore'),
  }
}

/** True for the parts of `.git`, in any case, which no search enters. */
export function isGitPath(path: VirtualPath): boolean {
  return /\/\.git(\/|$)/i.test(path)
}

export function isInScope(path: VirtualPath, scope: SearchScope): boolean {
  return isWithin(path, scope.path)
}

function anyPrefix(path: VirtualPath, matches: (path: string) => boolean): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (matches(path.slice(0, end))) return true
  }
  return false
}
