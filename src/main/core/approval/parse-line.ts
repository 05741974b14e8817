import { type ParsedScript, parse } from 'unbash'

/** What is read of a command line. Beyond these, a line is said to be unreadable, and it asks. */
export const lineLimits = {
  /** Characters of one text. */
  length: 100_000,
  /** Shells within shells, and programs within programs. */
  depth: 8,
  /** Parentheses within parentheses. The parser reads what they enclose once for each of them. */
  parentheses: 40,
  /** Here-documents and other `<<`. */
  documents: 4_000,
  /** Parts of the syntax of a line and of the texts in it. */
  nodes: 300_000,
} as const

/** The syntax of a line. Null when it is beyond a limit, so that only a shell knows what it does. */
export function parseLine(line: string): ParsedScript | null {
  if (line.length > lineLimits.length || isTooDeep(line)) return null
  try {
    return parse(line)
  } catch (error) {
    // Some rules of the grammar, such as `coproc coproc …`, have no limit in the parser but its stack.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Counts without regard to quotes, so it can only be too strict. */
function isTooDeep(line: string): boolean {
  let depth = 0
  let documents = 0
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at)
    if (code === open) depth += 1
    else if (code === close) depth = Math.max(0, depth - 1)
    else if (code === less && line.charCodeAt(at + 1) === less) documents += 1
    if (depth > lineLimits.parentheses || documents > lineLimits.documents) return true
  }
  return false
}

const [open, close, less] = [0x28, 0x29, 0x3c]
