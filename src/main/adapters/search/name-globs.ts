import picomatch from 'picomatch'
import { SearchError } from '#core/ports/search.ts'
import { compileGlob } from '#overlay'

/** Matches paths relative to the search's scope, without a slash at the start. */
export interface NameGlobs {
  matches(relative: string): boolean
  /** False only for a folder (`src/`) that cannot contain a match, so that the search can skip it. */
  mayHold(folder: string): boolean
}

const options: picomatch.PicomatchOptions = {
  dot: true,
  nonegate: true,
  noextglob: true,
  strictBrackets: true,
  posix: true,
  // A name may contain line breaks.
  flags: 's',
  maxLength: 4_096,
}
const syntax = { braces: true, groups: false, folderItself: false } as const

/** Characters that have a meaning only for picomatch. Folders may be called `(group)`. */
const literal = /[()|"+]/g

/** Parts of a glob that may fit at one character. Each is a step for each character of each name. */
const mostWidth = 500

const matchesAll = /^\/*\*\*(\/\*{1,2})?$/

/** Without globs, all names match. Throws `SearchError` for a glob that is not closed. */
export function compileGlobs(globs: readonly string[]): NameGlobs {
  if (globs.every((glob) => matchesAll.test(glob))) return { matches: () => true, mayHold: () => true }
  const compiled = globs.map(compile)
  return {
    matches: (relative) => compiled.some(({ matches }) => matches(relative)),
    mayHold: (folder) => compiled.some(({ start }) => liesBeside(folder, start)),
  }
}

function compile(glob: string) {
  const anchored = glob.replace(/^\/+/, '')
  if (anchored === '') throw new SearchError('bad_glob', `The glob "${glob}" names no file.`)
  try {
    const written = anchored.replace(literal, '\\$&')
    const expression = picomatch.makeRe(written, options)
    if (isSimple(written)) return { matches: (name: string) => expression.test(name), start: literalStart(anchored) }
    const steps = compileGlob(written, syntax)
    if (steps === null) throw new SearchError('bad_glob', `The glob "${glob}" is too long, or nests too many braces.`)
    if (steps.width > mostWidth) {
      const shown = glob.length > 100 ? `${glob.slice(0, 100)}…` : glob
      throw new SearchError('bad_glob', `The glob "${shown}" has too many parts behind a star or a brace. Shorten it.`)
    }
    return { matches: (name: string) => steps.matches(name), start: literalStart(anchored) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new SearchError('bad_glob', `The glob "${glob}" is not valid: ${error.message}.`)
  }
}

/**
 * Two asterisks next to anything but a slash mean one. A regular expression of picomatch may let them cross folders.
 */
const glued = /[^/]\*\*|\*\*[^/]/

/** True when a regular expression has few ways to try. Then it is faster, and never slow. */
function isSimple(glob: string): boolean {
  if (glued.test(glob)) return false
  return (glob.match(/\*+/g)?.length ?? 0) <= 2 && (glob.match(/\{/g)?.length ?? 0) <= 2
}

/** The folders that a glob names before its first special character, each with its slash. */
function literalStart(glob: string): string {
  const special = glob.search(/[*?[\]{}\\]/)
  const plain = special < 0 ? glob : glob.slice(0, special)
  return plain.slice(0, plain.lastIndexOf('/') + 1)
}

/** True when one path equals or contains the other. */
function liesBeside(folder: string, start: string): boolean {
  return start.startsWith(folder) || folder.startsWith(start)
}
