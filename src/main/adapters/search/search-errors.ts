import { type GrepQuery, SearchError } from '#core/ports/search.ts'

/** ripgrep wraps the pattern in `(?:` and `)` and indents it by four before it points at the position. */
const pointerOffset = '    (?:'.length

/** Systems take no NUL in an argument, and not much over this on Linux. */
const longestArgument = 100_000

/** What cannot even be handed to the engine. */
export function refuseArguments({ pattern, glob = '' }: Pick<GrepQuery, 'pattern' | 'glob'>): void {
  if (isUnusable(pattern))
    throw new SearchError('bad_pattern', 'The pattern is too long or holds a NUL. Shorten it, or write \\x00 for NUL.')
  if (isUnusable(glob)) throw new SearchError('bad_glob', 'The glob is too long or holds a NUL.')
}

function isUnusable(argument: string): boolean {
  return argument.includes('\0') || Buffer.byteLength(argument) > longestArgument
}

/** What ripgrep's complaint means for the caller; nothing when it is only about single files it could not read. */
export function searchErrorIn(errors: string, pattern: string): SearchError | undefined {
  const glob = /error parsing glob '(.*)': (.*)/.exec(errors)
  if (glob) return new SearchError('bad_glob', `The glob "${glob[1]}" is not valid: ${glob[2]}.`)
  if (/regex parse error|regex could not be compiled|is not allowed in a regex|compiled regex exceeds/i.test(errors)) {
    return badPattern(errors, pattern)
  }
  return undefined
}

/** How many files and folders ripgrep complains it could not read. What vanished under it is not among them. */
export function unreadableIn(errors: string): number {
  return errors.match(/^rg: .*\(os error (?!2\))\d+\)$/gm)?.length ?? 0
}

function badPattern(errors: string, pattern: string): SearchError {
  const pointer = errors.split('\n').find((line) => /^\s*\^+\s*$/.test(line))
  const column = pointer ? pointer.indexOf('^') - pointerOffset : 0
  const position = (column < 0 ? unclosedGroup(pattern) : column) + 1
  const reason = /^error: (.*)$/m.exec(errors)?.[1] ?? errors.replace(/^rg: /, '').split('\n')[0] ?? ''
  const shown = JSON.stringify(pattern)
  return new SearchError(
    'bad_pattern',
    `The pattern ${shown} is not a valid regular expression at character ${position}: ${reason}. ` +
      'Correct it, or search for it literally.',
  )
}

/** The wrapper's own parenthesis closes the innermost group that is open, so ripgrep points at the wrapper. */
function unclosedGroup(pattern: string): number {
  const open: number[] = []
  for (const { 0: token, index } of pattern.matchAll(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]/gs)) {
    if (token === '(') open.push(index)
    if (token === ')') open.pop()
  }
  return open.at(-1) ?? 0
}
