/**
 * How much of a text from a project, a server or a model is read. A reader that goes beyond the end of its stack cannot
 * be caught: the engine ends the process when it compiles a regular expression there. So depth is measured before.
 */
const textLimits = {
  /** Characters of a file with settings. */
  document: 256 * 1024,
  /** Characters of YAML, which takes longer to read. */
  yaml: 64 * 1024,
  /** Lists and maps within each other. */
  depth: 64,
  /** Columns before the first character of a line of YAML. Each one may begin another map. */
  indent: 128,
  /** Colons of a YAML text. Its library compares each key of a map with every other. */
  colons: 4_000,
} as const

/** Why a JSON text, with or without comments, is not read. Undefined when it may be. */
export function jsonLimit(text: string, longest: number = textLimits.document): string | undefined {
  if (text.length > longest) return `It is longer than ${longest / 1024} KB.`
  return nestsDeeper(text, textLimits.depth) ? tooDeep : undefined
}

/** The same for YAML, in which indentation and `- - -` nest as well. */
export function yamlLimit(text: string): string | undefined {
  const limit = jsonLimit(text, textLimits.yaml)
  if (limit !== undefined) return limit
  if (text.split('\n').some(nestsOnOneLine)) return tooDeep
  return text.split(':').length > textLimits.colons ? `It has more than ${textLimits.colons} keys.` : undefined
}

const tooDeep = `It nests lists or maps deeper than ${textLimits.depth} levels.`

/** Counts brackets without regard to quotes, so it can only be too strict. */
function nestsDeeper(text: string, most: number): boolean {
  let depth = 0
  for (const character of text) {
    if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1)
    if (depth > most) return true
  }
  return false
}

/**
 * True for a line that is indented too far, begins with too many of the marks that open a list or a map, or holds too
 * many keys: `a: b: c` nests too. Quotes are not looked at.
 */
function nestsOnOneLine(line: string): boolean {
  return keysOn(line) > textLimits.depth || opensTooMany(line)
}

function keysOn(line: string): number {
  return line.split(/[:?](?=\s|$)/).length - 1
}

function opensTooMany(line: string): boolean {
  let marks = 0
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? ''
    const isMark = '-?:'.includes(character) && /\s|^$/.test(line[at + 1] ?? '')
    if (character === ' ' || character === '\t') continue
    if (at > textLimits.indent) return true
    if (!isMark) return false
    marks += 1
    if (marks > textLimits.depth) return line.trim().length > marks
  }
  return false
}
