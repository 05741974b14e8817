import { Composer, type CST, type Document, isCollection, isPair, LineCounter, Parser, visit } from 'yaml'
import { yamlLimit } from '#shared/text/text-limits.ts'

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
  /** Of a file of settings: the outermost key that it is about; null for the whole file. */
  readonly about?: string | null
  /** Set when the text is not YAML. */
  readonly isSyntax?: true
}

/**
 * Reads the front matter between two lines of `---` and the text after it. Returns a problem when it is missing or not a
 * map. Where it is not quite YAML, it is read line by line, as other tools do: `description: Use when: [a] or @b`.
 */
export function readFrontMatter(file: string, text: string): FrontMatter | ExtensionProblem {
  const match = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  if (!match) return { file, line: 1, message: 'It does not begin with front matter between two lines of "---".' }
  const given = match[1] ?? ''
  const plain = readPlainLines(given)
  if (plain !== undefined) return { data: plain, body: text.slice(match[0].length) }
  const parsed = readYaml(file, given, 1)
  const data = 'message' in parsed ? (parsed.isSyntax ? readEntries(given) : undefined) : parsed.value
  if (data === undefined && 'message' in parsed) return parsed
  if (!isRecord(data)) return { file, line: 2, message: 'Its front matter is not a list of keys and values.' }
  return { data: { ...data, ...plainTexts(given, data) }, body: text.slice(match[0].length) }
}

/** A line with a key and words that are a text in YAML, whatever stands around it. */
const plainLine = /^([A-Za-z][\w-]*): ((?!(?:true|false|null)$)[A-Za-z](?:[\w ,.;()/'-]*[\w.)])?)$/i

/**
 * The keys and values of lines that hold nothing but words, as YAML has them. There are hundreds of them at each start of a
 * run, and YAML takes most of its time. Undefined for anything else.
 */
export function readPlainLines(text: string): Readonly<Record<string, string>> | undefined {
  const entries = text.split(/\r?\n/).map((line) => plainLine.exec(line))
  const found: Record<string, string> = {}
  for (const entry of entries) {
    const [, key, value] = entry ?? []
    if (key === undefined || value === undefined || Object.hasOwn(found, key)) return undefined
    found[key] = value
  }
  return found
}

const entryStart = /^([A-Za-z_][\w-]*):(?:[ \t]+(.*))?$/

/** The lines of each key that begins a line. Lines inside `<example>` belong to the key before them. */
function splitEntries(
  text: string,
): readonly { readonly key: string; readonly lines: readonly string[] }[] | undefined {
  const entries: { readonly key: string; readonly lines: string[] }[] = []
  let open = 0
  for (const line of text.split(/\r?\n/)) {
    const key = open > 0 ? undefined : entryStart.exec(line)?.[1]
    const last = entries.at(-1)
    if (key !== undefined) entries.push({ key, lines: [line] })
    else if (last) last.lines.push(line)
    else if (line.trim() !== '' && !line.startsWith('#')) return undefined
    open = Math.max(0, open + [...line.matchAll(/<example>/gi)].length - [...line.matchAll(/<\/example>/gi)].length)
  }
  return entries
}

/** Each key alone: as YAML where that is possible, else as the text that stands there. Undefined for anything but keys. */
function readEntries(text: string): Readonly<Record<string, unknown>> | undefined {
  const entries = splitEntries(text)
  const isTwice = entries?.some(({ key }, at) => entries.findIndex((one) => one.key === key) !== at)
  if (entries === undefined || isTwice) return undefined
  return Object.fromEntries(
    entries.map(({ key, lines }) => {
      const read = readYaml('', lines.join('\n'))
      return [key, 'message' in read || !isRecord(read.value) ? textOf(lines) : read.value[key]]
    }),
  )
}

/** Keys whose value is words. `[draft] …` and `# 1` are meant as such, and YAML reads something else. */
const textKeys: ReadonlySet<string> = new Set(['name', 'description', 'model', 'argument-hint'])

function plainTexts(text: string, data: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const given = (splitEntries(text) ?? []).filter(({ key, lines }) => textKeys.has(key) && lines.length === 1)
  return Object.fromEntries(
    given.flatMap(({ key, lines }) => {
      const value = textOf(lines)
      const isOther = typeof data[key] !== 'string' || /^[&!]/.test(value)
      return !isOther || /^(null|~)?$/i.test(value) ? [] : [[key, value]]
    }),
  )
}

/** The text of an entry without its key, and without quotes around all of it. */
function textOf([first = '', ...more]: readonly string[]): string {
  const text = [entryStart.exec(first)?.[2] ?? '', ...more.map((line) => line.trim())].join('\n').trim()
  const unquoted = /^(["'])((?:(?!\1).)*)\1$/s.exec(text)?.[2]
  return unquoted ?? text.replace(/^[|>][+-]?\n/, '')
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
  if (error)
    return {
      ...{ file, line: linesBefore + lines.linePos(error.pos[0]).line, message: error.message },
      isSyntax: true,
    }
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
