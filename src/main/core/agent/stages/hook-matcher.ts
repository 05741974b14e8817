/** Characters of a matcher. */
const mostCharacters = 300
/** Parts of any length in one alternative. A name is short, so that a few of them cost nothing. */
const mostRepeats = 3
/** Parts that may be missing. Each of them doubles the ways to try. */
const mostOptional = 6

/**
 * Why a matcher cannot be used; undefined for one that can. It may be a regular expression, which a project writes, so what
 * could take for ever is refused: repeated groups, looks around and references back.
 */
export function matcherProblem(matcher: string): string | undefined {
  if (isPlain(matcher)) return undefined
  if (matcher.length > mostCharacters) return `it is longer than ${mostCharacters} characters`
  if (/\)[*+{]/.test(matcher)) return 'it repeats a group'
  if (/\(\?(?!:)/.test(matcher) || /\\[1-9k]/.test(matcher)) return 'it looks around or refers back'
  // Bars within groups part no alternatives of the whole.
  const parts = matcher.includes('(') ? [matcher] : matcher.split('|')
  if (parts.some((one) => countOf(one, /[*+{]/g) > mostRepeats)) return `it has more than ${mostRepeats} repetitions`
  if (parts.some((one) => countOf(one, /(?<!\()\?/g) > mostOptional))
    return `it has more than ${mostOptional} parts that may be missing`
  try {
    new RegExp(matcher)
    return undefined
  } catch {
    return 'it is no regular expression'
  }
}

function countOf(text: string, pattern: RegExp): number {
  return (text.match(pattern) ?? []).length
}

/** Words with bars between them are names. */
function isPlain(matcher: string): boolean {
  return /^[\w|, -]*$/.test(matcher) || matcher === '*'
}

/** True when a matcher means one of the names. Nothing, and a star alone, mean every one. An expression may fit any part. */
export function fitsMatcher(matcher: string | null, names: readonly string[]): boolean {
  if (matcher === null || matcher === '' || matcher === '*') return true
  if (isPlain(matcher)) {
    const meant = matcher.split(/[|,]/).map((one) => one.trim())
    return names.some((name) => meant.includes(name))
  }
  if (matcherProblem(matcher) !== undefined) return false
  const pattern = new RegExp(matcher)
  return names.some((name) => pattern.test(name))
}
