import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compileGlob } from '#overlay'
import { ancestorsOf, isWithin, nameOf, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../pace.ts'
import { fileStamp, type TrackedFiles, trackedFiles } from '../system/git/tracked-files.ts'
import { narrowedPasses, type SearchPass, underGlob } from './narrowed-passes.ts'
import { createScopeRules, type ScopeRules } from './scope-rules.ts'
import type { SearchRoot } from './search-folder.ts'

/** The rules, except that what git tracks is never ignored. */
export function withTracked(rules: ScopeRules, root: SearchRoot | null): ScopeRules {
  if (rules.ignoreNothing || root === null || root.repository === null) return rules
  const tracked = trackedFiles(root.folder, root.repository)
  return {
    ...rules,
    isIgnored: (path) => rules.isIgnored(path) && !tracked.has(path, false),
    isFolderIgnored: (path) => rules.isFolderIgnored(path) && !tracked.has(path, true),
  }
}

interface Despite {
  readonly tracked: TrackedFiles
  /** Of all ignore files that can speak of a tracked file. */
  readonly stamps: string
  readonly paths: readonly VirtualPath[]
}
const despite = new WeakMap<SearchRoot, Despite>()

/**
 * The files below a path that git tracks although a rule ignores them, so that neither the engine nor the index of the
 * search finds them. Without those that are hidden, gone or links.
 */
export async function trackedDespite(
  root: SearchRoot,
  rules: ScopeRules,
  below: VirtualPath,
  signal: AbortSignal,
): Promise<readonly VirtualPath[]> {
  if (rules.ignoreNothing || root.repository === null) return []
  const tracked = trackedFiles(root.folder, root.repository)
  if (tracked.files.size === 0) return []
  const paths = await listDespite(root, tracked, signal)
  const isFile = createFileCheck(root)
  return paths.filter((path) => isWithin(path, below) && !rules.isHidden(path) && isFile(path))
}

/** The rules are asked about every tracked file only after the index or an ignore file changed. */
async function listDespite(
  root: SearchRoot,
  tracked: TrackedFiles,
  signal: AbortSignal,
): Promise<readonly VirtualPath[]> {
  const pace = createPace(signal)
  const found: string[] = []
  for (const folder of [...foldersAbove(root), ...[...tracked.folders].map((path) => join(root.folder, path))]) {
    const stamp = fileStamp(join(folder, '.gitignore'))
    if (stamp !== null) found.push(stamp)
    await pace()
  }
  const stamps = found.join('\n')
  const before = despite.get(root)
  if (before?.tracked === tracked && before.stamps === stamps) return before.paths
  const rules = createScopeRules(root, { path: rootPath, hidden: [], overlay: [], includeIgnored: false })
  const paths: VirtualPath[] = []
  for (const path of tracked.files) {
    if (rules.isIgnored(path)) paths.push(path)
    const turn = pace()
    if (turn) await turn
  }
  despite.set(root, { tracked, stamps, paths })
  return paths
}

/** The project folder and those above it, up to the top of the repository. */
function foldersAbove({ folder, repository }: SearchRoot): readonly string[] {
  const folders = [folder]
  for (let at = folder; at !== repository && at !== dirname(at); at = dirname(at)) folders.push(dirname(at))
  return folders
}

/** Says whether a path is a file with no link on its way. The engine would follow links that it is given by name. */
function createFileCheck({ folder: top }: SearchRoot): (path: VirtualPath) => boolean {
  const known = new Map<VirtualPath, boolean>()
  const isReal = (folder: VirtualPath) => {
    const location = folder === '/' ? top : join(top, folder)
    const isSame = known.get(folder) ?? lookAt(() => realpathSync.native(location) === location)
    known.set(folder, isSame)
    return isSame
  }
  return (path) => isReal(parentOf(path)) && lookAt(() => lstatSync(join(top, path)).isFile())
}

function lookAt(look: () => boolean): boolean {
  try {
    return look()
  } catch {
    return false
  }
}

/** The same search of such files. The engine is given them by name, or their folders where only it can apply the glob. */
export function trackedPasses(
  pass: SearchPass,
  base: VirtualPath,
  paths: readonly VirtualPath[],
  glob: string | undefined,
): readonly SearchPass[] {
  const named = { files: paths, folders: [], whole: [] }
  const candidates = underGlob(named, glob) ?? { ...named, files: withoutExcluded(paths, base, glob ?? '') }
  const wanted = new Set(paths)
  const translate = (name: string) => {
    const path = pass.translate(name)
    return path && wanted.has(path) ? path : undefined
  }
  return narrowedPasses({ ...pass, translate, args: ['--no-ignore'] }, base, candidates)
}

/** Without the files that a glob such as `!dist` excludes, by their own name or that of a folder above. */
function withoutExcluded(paths: readonly VirtualPath[], base: VirtualPath, glob: string): readonly VirtualPath[] {
  const written = glob.slice(1)
  const foldersOnly = written.endsWith('/')
  const text = foldersOnly ? written.slice(0, -1) : written
  const compiled = compileGlob(text.replace(/^\//, ''), { braces: true, groups: false, folderItself: false })
  if (compiled === null) return paths
  const fits = (path: VirtualPath) =>
    compiled.matches(text.includes('/') ? path.slice(base === '/' ? 1 : base.length + 1) : nameOf(path))
  const isBelow = (folder: VirtualPath) => folder !== base && isWithin(folder, base)
  return paths.filter((path) => !(!foldersOnly && fits(path)) && !ancestorsOf(path).filter(isBelow).some(fits))
}
