import { nameOf, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { GrepReading } from './grep-results.ts'
import type { Candidates } from './index/messages.ts'

/** One run of the engine: over the base, or over the written overlay files. */
export interface SearchPass extends GrepReading {
  readonly cwd: string
  readonly targets: readonly string[]
  readonly args: readonly string[]
  /** True when it leaves out large files, so that there may be more. */
  readonly isPartial?: true
}

/** Bytes of all paths of one run. Linux takes two million. */
const mostBytes = 500_000

/**
 * The same search, of the candidates alone. Named files and the direct content of named folders are searched in one
 * run, and whole folders in another. The engine reads files that are named alone in another way, unless it is told not to.
 */
export function narrowedPasses(
  pass: SearchPass,
  base: VirtualPath,
  { files, folders, whole }: Candidates,
): readonly SearchPass[] {
  const named = (paths: readonly VirtualPath[]) => paths.map((path) => nameBelow(base, path))
  const runs = (paths: readonly string[], args: readonly string[]): readonly SearchPass[] =>
    portions(paths).map((targets) => ({ ...pass, targets, args: [...pass.args, '--no-mmap', ...args] }))
  return [...runs([...named(files), ...named(folders)], ['--max-depth', '1']), ...runs(named(whole), [])]
}

/**
 * The candidates under a glob. The engine ignores globs for files that it is given by name, so it is given their folders
 * instead, unless the glob is plain. Null for a glob that excludes: folders that are named are never excluded.
 */
export function underGlob(candidates: Candidates, glob: string | undefined): Candidates | null {
  if (glob === undefined) return candidates
  if (glob.startsWith('!')) return null
  if (/^[\w.-]*\*?[\w.-]*$/.test(glob)) {
    const expression = new RegExp(`^${glob.replaceAll('.', '\\.').replace('*', '.*')}$`, 's')
    return { ...candidates, files: candidates.files.filter((path) => expression.test(nameOf(path))) }
  }
  const folders = new Set([...candidates.folders, ...candidates.files.map(parentOf)])
  return { ...candidates, files: [], folders: [...folders] }
}

function nameBelow(base: VirtualPath, path: VirtualPath): string {
  if (path === base) return './'
  return base === '/' ? `.${path}` : `.${path.slice(base.length)}`
}

function portions(paths: readonly string[]): readonly (readonly string[])[] {
  const portions: string[][] = []
  let bytes = mostBytes
  for (const path of paths) {
    const length = Buffer.byteLength(path) + 9
    if (bytes + length > mostBytes) {
      portions.push([])
      bytes = 0
    }
    portions.at(-1)?.push(path)
    bytes += length
  }
  return portions
}
