import { isUtf8 } from 'node:buffer'
import { type Dirent, readdirSync } from 'node:fs'
import { byCodeUnit } from '#core/ports/code-unit-order.ts'
import type { SearchScope } from '#core/ports/search.ts'
import { isWithin, joinPath, nameOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../pace.ts'
import { compileGlobs, type NameGlobs } from './name-globs.ts'
import { createScopeRules, isGitName, isGitPath, type ScopeRules } from './scope-rules.ts'
import { openSearchFolder, openSearchPlace, type SearchRoot } from './search-folder.ts'

interface Finding {
  readonly root: SearchRoot
  readonly rules: ScopeRules
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
  const pace = createPace(signal)
  const found: VirtualPath[] = []
  const prefix = scope.path === '/' ? '/' : `${scope.path}/`
  const matches = (path: VirtualPath) => globs.matches(path === scope.path ? nameOf(path) : path.slice(prefix.length))
  const searched = root !== null && !isGitPath(scope.path) && !rules.isHidden(scope.path)
  if (searched && isFile(root, scope.path) && matches(scope.path) && !rules.isIgnored(scope.path))
    found.push(scope.path)
  if (searched) await findBelow(scope.path, '', { root, rules, globs, pace, found })
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
  const { root, rules, globs, pace, found } = finding
  const keys = listKeys(root, folder)
  const isRuled = rules.isRuled(folder, keys.includes('.gitignore'))
  for (const key of keys) {
    const relative = below + key
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

/**
 * Names of the files and, with a slash at their ends, of the folders, sorted. A folder that is gone, closed to us or a
 * link by now holds nothing; names that are not UTF-8 are left out.
 */
function listKeys(root: SearchRoot, folder: VirtualPath): readonly string[] {
  try {
    using place = openSearchFolder(root, folder)
    if (!place) return []
    const entries = readdirSync(place.cwd, { withFileTypes: true })
    const named = entries.some(({ name }) => name.includes('\ufffd')) ? withUtf8Names(place.cwd, entries) : entries
    return named.flatMap(keyOf).sort()
  } catch {
    return []
  }
}

function keyOf(entry: Dirent): string | readonly [] {
  if (isGitName(entry.name)) return []
  if (entry.isFile()) return entry.name
  return entry.isDirectory() ? `${entry.name}/` : []
}

/** A name that was decoded with replacement characters only counts when it truly holds them. */
function withUtf8Names(location: string, entries: readonly Dirent[]): readonly Dirent[] {
  const names = readdirSync(location, { encoding: 'buffer' })
    .filter((name) => isUtf8(name))
    .map((name) => name.toString())
  const known = new Set(names)
  return entries.filter(({ name }) => known.delete(name))
}
