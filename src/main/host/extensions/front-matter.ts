import { Composer, type CST, type Document, isCollection, isPair, LineCounter, Parser, visit } from 'yaml'
import { yamlLimit } from '#shared/base/text-limits.ts'

export interface FrontMatter {
  readonly data: Readonly<Record<string, unknown>>
  readonly body: string
}

export interface ExtensionProblem {
  readonly file: string
  /** 1-based. Null when the problem concerns the whole file. */
  readonly line: number | null
  readonly message: string
  /** Set when the definition would have made calls ask, so that without it something passes. */
  readonly gate?: true
}

/**
 * Reads the YAML between two lines of `---` and the text after it. Returns a problem when it is missing or not a map.
 */
export function readFrontMatter(file: string, text: string): FrontMatter | ExtensionProblem {
  const match = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  if (!match) return { file, line: 1, message: 'It does not begin with front matter between two lines of "---".' }
  const parsed = readYaml(file, match[1] ?? '', 1)
  if ('message' in parsed) return parsed
  if (!isRecord(parsed.value)) return { file, line: 2, message: 'Its front matter is not a list of keys and values.' }
  return { data: parsed.value, body: text.slice(match[0].length) }
}

/**
 * `linesBefore` is the number of lines before the YAML. It cannot run code, because the schema refuses such tags. A text
 * beyond the limits, and one whose aliases stand for too much, is a problem of its file alone.
 */
export function readYaml(file: string, text: string, linesBefore = 0): { readonly value: unknown } | ExtensionProblem {
  const limit = yamlLimit(text)
  if (limit !== undefined) return { file, line: null, message: limit }
  const lines = new LineCounter()
  const tokens = untilError(new Parser(lines.addNewLine).parse(text))
  const [document, more] = new Composer({ schema: 'core', prettyErrors: false }).compose(tokens, true, text.length)
  const error = document?.errors[0]
  if (error) return { file, line: linesBefore + lines.linePos(error.pos[0]).line, message: error.message }
  if (!document || more) {
    const { line } = lines.linePos(more?.range[0] ?? 0)
    return { file, line: linesBefore + line, message: 'It holds several documents. Keep only one.' }
  }
  if (hasListAsKey(document)) return { file, line: null, message: 'A key in it is a list or a map, not a word.' }
  try {
    return { value: document.toJS({ maxAliasCount: 100 }) as unknown }
  } catch (problem) {
    // The library reports aliases that stand for too much, or for something that contains them, by these errors.
    if (!(problem instanceof ReferenceError || problem instanceof RangeError)) throw problem
    return { file, line: null, message: 'Its aliases stand for too much. Write out what they stand for.' }
  }
}

/** Only the first error is reported, and a text can have one at each character. */
function* untilError(tokens: Iterable<CST.Token>): Generator<CST.Token> {
  for (const token of tokens) {
    yield token
    if (token.type === 'error') return
  }
}

/** Such keys are written out to make names of them, again for each level of their nesting. */
function hasListAsKey(document: Document): boolean {
  let found = false
  visit(document, (_, node) => {
    if (isPair(node) && isCollection(node.key)) found = true
    return found ? visit.BREAK : undefined
  })
  return found
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
