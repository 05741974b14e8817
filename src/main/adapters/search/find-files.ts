import type { SearchScope } from '#core/ports/search.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { isWithin, joinPath, nameOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../pace.ts'
import { listKeys } from './list-keys.ts'
import { compileGlobs, type NameGlobs } from './name-globs.ts'
import { createScopeRules, isGitName, isGitPath, type ScopeRules } from './scope-rules.ts'
import { openSearchPlace, type SearchRoot } from './search-folder.ts'

interface Finding {
  readonly root: SearchRoot
  readonly rules: ScopeRules
  /** `.git` is ignored like what `.gitignore` names. */
  readonly entersGit: boolean
  readonly globs: NameGlobs
  readonly pace: ReturnType<typeof createPace>
  readonly found: VirtualPath[]
}

/**
 * Names of base and overlay that match. Listing folders here is quicker than starting an engine for it, and one
 * matcher sees base and overlay alike.
 */
export async function findFiles(
  root: SearchRoot | null,
  patterns: readonly string[],
  scope: SearchScope,
  signal: AbortSignal,
): Promise<readonly VirtualPath[]> {
  signal.throwIfAborted()
  const globs = compileGlobs(patterns)
  const rules = createScopeRules(root, scope)
  const entersGit = scope.includeIgnored
  const pace = createPace(signal)
  const found: VirtualPath[] = []
  const prefix = scope.path === '/' ? '/' : `${scope.path}/`
  const matches = (path: VirtualPath) => globs.matches(path === scope.path ? nameOf(path) : path.slice(prefix.length))
  const searched = root !== null && (entersGit || !isGitPath(scope.path)) && !rules.isHidden(scope.path)
  if (searched && isFile(root, scope.path) && matches(scope.path) && !rules.isIgnored(scope.path))
    found.push(scope.path)
  if (searched) await findBelow(scope.path, '', { root, rules, entersGit, globs, pace, found })
  for (const { path } of scope.overlay) {
    if (isWithin(path, scope.path) && !isGitPath(path) && matches(path) && !rules.isIgnored(path)) found.push(path)
    await pace()
  }
  return found.sort(byCodeUnit)
}

function isFile(root: SearchRoot, path: VirtualPath): boolean {
  using place = openSearchPlace(root, path)
  return place !== undefined && place.target !== './'
}

/** In the order of whole paths, so that sorting them again is one pass. Links are not followed. */
async function findBelow(folder: VirtualPath, below: string, finding: Finding): Promise<void> {
  const { root, rules, entersGit, globs, pace, found } = finding
  const keys = await listKeys(root, folder, pace)
  const isRuled = rules.isRuled(folder, keys.includes('.gitignore'))
  for (const key of keys) {
    const relative = below + key
    if (!entersGit && isGitName(key.replace('/', ''))) continue
    if (key.endsWith('/')) {
      const path = joinPath(folder, key.slice(0, -1))
      const entered = globs.mayHold(relative) && !rules.isHiddenItself(path) && !rules.isFolderIgnored(path)
      if (entered) await findBelow(path, relative, finding)
    } else if (globs.matches(relative)) {
      const path = joinPath(folder, key)
      if (!rules.isHiddenItself(path) && !(isRuled && rules.isIgnored(path))) found.push(path)
    }
    const turn = pace()
    if (turn) await turn
  }
}
