import picomatch from 'picomatch'
import { SearchError } from '#core/ports/search.ts'
import { compileSteps } from './glob-steps.ts'

/** What a search for names asks of a path below its scope, written without a slash at the start. */
export interface NameGlobs {
  matches(relative: string): boolean
  /** False only for a folder (`src/`) that cannot hold a match, so that it need not be entered. */
  mayHold(folder: string): boolean
}

const options: picomatch.PicomatchOptions = {
  dot: true,
  nonegate: true,
  noextglob: true,
  strictBrackets: true,
  posix: true,
  // A name may hold line breaks.
  flags: 's',
  maxLength: 4_096,
}
/** Characters that only picomatch gives a meaning: folders are called `(group)`. */
const literal = /[()|"+]/g

const matchesAll = /^\/*\*\*(\/\*{1,2})?$/

/** All names match when there is no glob. Throws `SearchError` for one that is not closed. */
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
    const matches = isSimple(written) ? (name: string) => expression.test(name) : compileSteps(written, oneOf)
    return { matches, start: literalStart(anchored) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new SearchError('bad_glob', `The glob "${glob}" is not valid: ${error.message}.`)
  }
}

/** Beside anything but a slash, two asterisks are one: a regular expression of picomatch may take them across folders. */
const glued = /[^/]\*\*|\*\*[^/]/

/** Few ways to try: a regular expression is quicker then, and never slow. */
function isSimple(glob: string): boolean {
  if (glued.test(glob)) return false
  return (glob.match(/\*+/g)?.length ?? 0) <= 2 && (glob.match(/\{/g)?.length ?? 0) <= 2
}

function oneOf(text: string): (character: string) => boolean {
  const expression = picomatch.makeRe(text, options)
  return (character) => expression.test(character)
}

/** The folders a glob names before its first special character, each with its slash. */
function literalStart(glob: string): string {
  const special = glob.search(/[*?[\]{}\\]/)
  const plain = special < 0 ? glob : glob.slice(0, special)
  return plain.slice(0, plain.lastIndexOf('/') + 1)
}

/** One is the other, or lies in it. */
function liesBeside(folder: string, start: string): boolean {
  return start.startsWith(folder) || folder.startsWith(start)
}
