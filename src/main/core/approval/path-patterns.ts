import { compileGlob, type Glob } from '#overlay'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

const syntax = { braces: true, groups: true, folderItself: true } as const

/** The most parts that may fit at one character of a path: in one pattern, and in all that are read for one question. */
const widthLimits = { pattern: 1_000, question: 5_000 } as const

/** Programs are judged for thousands of files by the same few patterns. */
const compiled = new Map<string, Glob | null>()
const mostCompiled = 1_000

/** Reads a pattern of a rule, which starts at the root of the project. Null when the pattern cannot be read. */
export type PatternReader = (pattern: string) => { fits(path: VirtualPath): boolean } | null

/**
 * Reads patterns for one question, in the order of their importance. A pattern cannot be read when it is endless or says
 * `!(…)`, and when the patterns before it have used up the limit. The limit does not depend on the paths, so nobody can
 * escape a rule by a long path. `work` counts the steps.
 */
export function createPatternReader(work = { steps: 0 }): PatternReader {
  let width = 0
  return (pattern) => {
    const glob = readPattern(pattern)
    if (glob === null || width + glob.width > widthLimits.question) return null
    width += glob.width
    return { fits: (path) => glob.matches(path, work) }
  }
}

/** Whether a path of a project could fit a pattern. Null when the pattern cannot be read. */
export function fitsSomePath(pattern: string): boolean | null {
  return readPattern(pattern)?.fitsSomePath() ?? null
}

function readPattern(pattern: string): Glob | null {
  let glob = compiled.get(pattern)
  if (glob === undefined) {
    if (compiled.size >= mostCompiled) compiled.clear()
    glob = compileGlob(pattern.startsWith('/') ? pattern : `/${pattern.replace(/^\.\//, '')}`, syntax)
    if (glob !== null && glob.width > widthLimits.pattern) glob = null
    compiled.set(pattern, glob)
  }
  return glob
}
