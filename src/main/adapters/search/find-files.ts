import { isUtf8 } from 'node:buffer'
import { type Dirent, opendirSync, readdirSync, statSync } from 'node:fs'
import type { SearchScope } from '#core/ports/search.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { isWithin, joinPath, nameOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../pace.ts'
import { compileGlobs, type NameGlobs } from './name-globs.ts'
import { createScopeRules, isGitName, isGitPath, type ScopeRules } from './scope-rules.ts'
import { openSearchFolder, openSearchPlace, type SearchRoot } from './search-folder.ts'
import { withTracked } from './tracked-scope.ts'

interface Finding {
  readonly root: SearchRoot
  readonly rules: ScopeRules
  /** `.git` is ignored like the names in `.gitignore`. */
  readonly entersGit: boolean
  readonly globs: NameGlobs
  readonly pace: ReturnType<typeof createPace>
  readonly found: VirtualPath[]
}

/**
 * Finds matching names of base and overlay. Listing folders here is faster than starting an engine, and one matcher
 * treats base and overlay alike.
 */
export async function findFiles(
  root: SearchRoot | null,
  patterns: readonly string[],
  scope: SearchScope,
  signal: AbortSignal,
): Promise<readonly VirtualPath[]> {
  signal.throwIfAborted()
  const globs = compileGlobs(patterns)
  const rules = withTracked(createScopeRules(root, scope), root)
  const entersGit = scope.includeIgnored
  const pace = createPace(signal)
  const found: VirtualPath[] = []
  const prefix = scope.path === '/' ? '/' : `${scope.path}/`
  const matches = (path: VirtualPath) => globs.matches(path === scope.path ? nameOf(path) : path.slice(prefix.length))
  const searched = root !== null && (entersGit || !isGitPath(scope.path)) && !rules.isFolderHidden(scope.path)
  const isOneFile = searched && isFile(root, scope.path) && !rules.isHidden(scope.path)
  if (isOneFile && matches(scope.path) && !rules.isIgnored(scope.path)) found.push(scope.path)
  if (searched) await findBelow(scope.path, '', { root, rules, entersGit, globs, pace, found })
  for (const { path } of scope.overlay) {
    if (isWithin(path, scope.path) && !isGitPath(path) && matches(path)) found.push(path)
    await pace()
  }
  if (rules.isCut()) scope.onCutRules?.()
  return found.sort(byCodeUnit)
}

function isFile(root: SearchRoot, path: VirtualPath): boolean {
  using place = openSearchPlace(root, path)
  return place !== undefined && place.target !== './'
}

/** Finds names in the order of whole paths, so that the later sort is one pass. Does not follow links. */
async function findBelow(folder: VirtualPath, below: string, finding: Finding): Promise<void> {
  const { root, rules, entersGit, globs, pace, found } = finding
  const keys = await listKeys(root, folder, pace)
  const isRuled = rules.isRuled(folder, keys.includes('.gitignore'))
  for (const key of keys) {
    const relative = below + key
    if (!entersGit && isGitName(key.replace('/', ''))) continue
    if (key.endsWith('/')) {
      const path = joinPath(folder, key.slice(0, -1))
      const entered = globs.mayHold(relative) && !rules.isHiddenItself(path, true) && !rules.isFolderIgnored(path)
      if (entered) await findBelow(path, relative, finding)
    } else if (globs.matches(relative)) {
      const path = joinPath(folder, key)
      if (!rules.isHiddenItself(path, false) && !(isRuled && rules.isIgnored(path))) found.push(path)
    }
    const turn = pace()
    if (turn) await turn
  }
}

type Pace = ReturnType<typeof createPace>

/** Size of the folder's own list of names, where the disk tells it: about a thousand entries. */
const largeFolderBytes = 32 * 1024

/**
 * Names of the files and, with a slash at the end, of the folders, sorted. Empty when the folder is gone, not readable
 * or a link. Names that are not UTF-8 are left out.
 */
async function listKeys(root: SearchRoot, folder: VirtualPath, pace: Pace): Promise<readonly string[]> {
  try {
    using place = openSearchFolder(root, folder)
    if (!place) return []
    if (statSync(place.cwd).size > largeFolderBytes) return (await listSlowly(place.cwd, pace)).sort()
    const entries = readdirSync(place.cwd, { withFileTypes: true })
    const named = entries.some(({ name }) => name.includes('\ufffd')) ? withUtf8Names(place.cwd, entries) : entries
    return named.flatMap((entry) => keyOf(entry, entry.name) ?? []).sort()
  } catch (error) {
    if (!isSystemError(error)) throw error
    return []
  }
}

function keyOf(entry: Dirent, name: string): string | undefined {
  if (entry.isFile()) return name
  return entry.isDirectory() ? `${name}/` : undefined
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}

/** Drops names that are not UTF-8. A name with replacement characters stays only if it really contains them. */
function withUtf8Names(location: string, entries: readonly Dirent[]): readonly Dirent[] {
  const names = readdirSync(location, { encoding: 'buffer' })
    .filter((name) => isUtf8(name))
    .map((name) => name.toString())
  const known = new Set(names)
  return entries.filter(({ name }) => known.delete(name))
}

/** Lists entry by entry. Slower for small folders, but does not block the process in large ones. */
async function listSlowly(location: string, pace: Pace): Promise<string[]> {
  using folder = opendirSync(location, { bufferSize: 1_024, encoding: 'buffer' as BufferEncoding })
  const keys: string[] = []
  for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
    const name: unknown = entry.name
    const key = Buffer.isBuffer(name) && isUtf8(name) ? keyOf(entry, name.toString()) : undefined
    if (key !== undefined) keys.push(key)
    const turn = pace()
    if (turn) await turn
  }
  return keys
}
