import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { compileGlob, type Glob } from '../paths/path-glob.ts'

const syntax = { braces: true, groups: true, folderItself: true } as const

/** Programs are judged for thousands of files by the same few patterns. */
const compiled = new Map<string, Glob | null>()
const mostCompiled = 1_000

/**
 * True when a pattern of a rule, which starts at the root of the project, fits a path. Null when the pattern cannot be
 * read: it is endless, or says `!(…)`.
 */
export function fitsPath(pattern: string, path: VirtualPath): boolean | null {
  let glob = compiled.get(pattern)
  if (glob === undefined) {
    if (compiled.size >= mostCompiled) compiled.clear()
    glob = compileGlob(pattern.startsWith('/') ? pattern : `/${pattern.replace(/^\.\//, '')}`, syntax)
    compiled.set(pattern, glob)
  }
  return glob === null ? null : glob.matches(path)
}
