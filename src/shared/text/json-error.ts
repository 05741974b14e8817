/** Where a text stops being JSON. Lines and columns begin at 1. */
export interface JsonError {
  readonly message: string
  readonly offset: number
  readonly line: number
  readonly column: number
}

/**
 * The first error of a text that should be JSON; null if it is JSON. The messages of `JSON.parse` differ between
 * engines, and some have no position.
 */
export function locateJsonError(text: string): JsonError | null {
  const found = scan(text)
  if (found === null) return null
  const before = text.slice(0, found.offset)
  const line = before.split('\n').length
  return { ...found, line, column: found.offset - before.lastIndexOf('\n') }
}

type Found = Pick<JsonError, 'message' | 'offset'>

const space = /[ \t\n\r]*/y
const scalar =
  /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy
const key = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy

/** Reads value after value with a stack of open brackets, so that deep nesting is no problem. */
function scan(text: string): Found | null {
  const open: ('[' | '{')[] = []
  let offset = skip(0)
  let expects: 'value' | 'first_item' | 'first_key' | 'key' | 'end' = 'value'

  function skip(from: number): number {
    space.lastIndex = from
    space.test(text)
    return space.lastIndex
  }
  function take(pattern: RegExp): boolean {
    pattern.lastIndex = offset
    if (!pattern.test(text)) return false
    offset = skip(pattern.lastIndex)
    return true
  }
  function takeSign(sign: string): boolean {
    if (text[offset] !== sign) return false
    offset = skip(offset + 1)
    return true
  }

  while (true) {
    if (expects === 'end') {
      const bracket = open.at(-1)
      if (bracket === undefined) return offset === text.length ? null : problem('Unexpected text after the end')
      const close = bracket === '[' ? ']' : '}'
      if (takeSign(close)) open.pop()
      else if (takeSign(',')) expects = bracket === '[' ? 'value' : 'key'
      else return problem(`Expected "," or "${close}"`)
    } else if (expects === 'first_key' && takeSign('}')) {
      open.pop()
      expects = 'end'
    } else if (expects === 'first_key' || expects === 'key') {
      if (!take(key)) return problem('Expected a name in double quotes')
      if (!takeSign(':')) return problem('Expected ":"')
      expects = 'value'
    } else if (expects === 'first_item' && takeSign(']')) {
      open.pop()
      expects = 'end'
    } else if (takeSign('[')) {
      open.push('[')
      expects = 'first_item'
    } else if (takeSign('{')) {
      open.push('{')
      expects = 'first_key'
    } else if (take(scalar)) expects = 'end'
    else return problem('Expected a value')
  }

  function problem(message: string): Found {
    return { message: offset >= text.length ? 'The text ends too early' : message, offset }
  }
}
