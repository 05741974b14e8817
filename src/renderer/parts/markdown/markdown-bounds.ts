/**
 * The bounds of text that is read as Markdown. Beyond them it is shown as plain text. Parsers need quadratic time for
 * nested quotations, lists, emphasis and links, and their trees overflow the stack, so a reply of a few kilobytes could
 * end the window.
 */
export const markdownBounds = {
  /** Quotations and lists inside each other on one line. */
  containers: 24,
  /** Columns of white space before the first character of a line. Each nested list takes two. */
  indent: 160,
  /** Marks in one paragraph that could begin or end emphasis or a link. */
  marks: 1_000,
  /** Lines of a paragraph in a quotation or a list that leave out its mark. */
  lazyLines: 400,
  /** Cells of one table. Each row is filled up to the width of its head, so a few kilobytes can mean millions. */
  cells: 10_000,
  /** Characters that are parsed at once. */
  characters: 200_000,
}

/** True when parsing the text could take long or overflow the stack. Takes linear time. */
export function exceedsBounds(text: string): boolean {
  if (text.length > markdownBounds.characters) return true
  let fence: string | null = null
  let marks = 0
  let [columns, cells] = [0, 0]
  let lazyLines: number | null = null
  for (const line of text.split('\n')) {
    const [, mark = '', after = ''] = fenceLine.exec(line) ?? []
    if (fence !== null) {
      if (mark.startsWith(fence) && after.trim() === '') fence = null
    } else if (mark !== '' && !(mark.startsWith('`') && after.includes('`'))) fence = mark
    else {
      const start = readStart(line)
      if (start.containers > markdownBounds.containers || start.indent > markdownBounds.indent) return true
      lazyLines = start.containers > 0 ? 0 : lazyLines === null || start.rest === '' ? null : lazyLines + 1
      if (lazyLines !== null && lazyLines > markdownBounds.lazyLines) return true
      if (start.rest === '') columns = 0
      else if (tableHead.test(start.rest)) [columns, cells] = [start.rest.match(/-+/g)?.length ?? 0, 0]
      else cells += columns
      if (cells > markdownBounds.cells) return true
      marks = (start.begins ? 0 : marks) + countMarks(start.rest)
      if (marks > markdownBounds.marks) return true
    }
  }
  return false
}

/**
 * The first or last line of a fence that is inside nothing else. What stands between is code, whatever it looks like.
 * HTML is not parsed, so a comment cannot hold such a line.
 */
const fenceLine = /^ {0,3}(`{3,}|~{3,})(.*)$/s

/** The line below the head of a table. Its marks say how many columns every row has. */
const tableHead = /^[\s|:-]*-[\s|:-]*$/

interface LineStart {
  readonly containers: number
  readonly indent: number
  readonly rest: string
  /** True when the line begins a paragraph, an item, a row or a heading. */
  readonly begins: boolean
}

const container = /[ \t]*(?:>|[*+-](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$))/y

function readStart(line: string): LineStart {
  let at = 0
  let containers = 0
  container.lastIndex = 0
  while (containers <= markdownBounds.containers && container.test(line)) {
    at = container.lastIndex
    containers += 1
  }
  const spaces = /^[ \t]*/.exec(line.slice(at))?.[0].length ?? 0
  const rest = line.slice(at + spaces)
  const indent = columnsOf(line.slice(0, at + spaces))
  return { containers, indent, rest, begins: containers > 0 || rest === '' || /^[|#]/.test(rest) }
}

/** Counts a tab as the four columns that it can reach. */
function columnsOf(start: string): number {
  return [...start.matchAll(/[ \t]/g)].reduce((sum, [space]) => sum + (space === '\t' ? 4 : 1), 0)
}

/** A run of marks that could begin or end emphasis or a link: `*` beside a word, `_` at its edge, a bracket. */
const mark = /[[\]]|(?<=\S)\*+|\*+(?=\S)|(?<![\p{L}\p{N}])[_~]+|[_~]+(?![\p{L}\p{N}])/gu

function countMarks(text: string): number {
  return text.match(mark)?.length ?? 0
}
