import picomatch from 'picomatch'
import { SearchError } from '#core/ports/search.ts'

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
}
/** Characters that only picomatch gives a meaning: folders are called `(group)`. */
const literal = /[()|"]/g

const matchesAll = /^\/*\*\*(\/\*{1,2})?$/

/** All names match when there is no glob. Throws `SearchError` for one that is not closed. */
export function compileGlobs(globs: readonly string[]): NameGlobs {
  if (globs.every((glob) => matchesAll.test(glob))) return { matches: () => true, mayHold: () => true }
  const compiled = globs.map(compile)
  return {
    matches: (relative) => compiled.some(({ expression }) => expression.test(relative)),
    mayHold: (folder) => compiled.some(({ start }) => liesBeside(folder, start)),
  }
}

function compile(glob: string) {
  const anchored = glob.replace(/^\/+/, '')
  try {
    return {
      expression: picomatch.makeRe(anchored.replace(literal, '\\$&'), options),
      start: literalStart(anchored),
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new SearchError('bad_glob', `The glob "${glob}" is not valid: ${error.message}.`)
  }
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
