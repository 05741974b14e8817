/** A part of a line that a command printed. */
export interface OutputPiece {
  readonly text: string
  /** True for what looks like a key or a token. */
  readonly secret: boolean
}

export type OutputLine = readonly OutputPiece[]

/**
 * Colours, and what a line that draws itself again uses. Other codes stay and are shown, so that nobody hides words for
 * the model in them.
 */
const terminalCodes = new RegExp(`${String.fromCodePoint(0x1b)}\\[[\\d;?]*[mKGJ]`, 'g')

/**
 * What a command printed, line by line, without the codes that only a terminal obeys. A return of the carriage begins a
 * line of its own, so that nothing is written over.
 *
 * @param secrets pairs of a start and an end in UTF-16 units of `output`, in order
 */
export function outputLines(
  output: string,
  secrets: readonly (readonly [number, number])[] = [],
): readonly OutputLine[] {
  const lines: OutputPiece[][] = [[]]
  for (const { text, secret } of splitAt(output, secrets)) {
    const [first = '', ...others] = text.replace(terminalCodes, '').split(/\r\n|\n|\r/)
    const add = (part: string): void => void (part !== '' && lines.at(-1)?.push({ text: part, secret }))
    add(first)
    for (const other of others) {
      lines.push([])
      add(other)
    }
  }
  return withoutBlankEnd(lines)
}

/** What the app says at the end of each output. A card shows it in another way. */
const endNotes = [/^Changes: /, /^Exit code \d+\. [\d.]+ m?s\.$/]

/** The lines that a command printed, without how it ended and what it changed. */
export function printedLines(lines: readonly OutputLine[]): readonly OutputLine[] {
  let printed = lines
  for (const note of endNotes) {
    const [last, ...more] = printed.at(-1) ?? []
    if (last && more.length === 0 && note.test(last.text)) printed = printed.slice(0, -1)
  }
  return withoutBlankEnd(printed)
}

function withoutBlankEnd(lines: readonly OutputLine[]): readonly OutputLine[] {
  return lines.slice(0, lines.findLastIndex((line) => line.some(({ text }) => text.trim() !== '')) + 1)
}

function splitAt(output: string, secrets: readonly (readonly [number, number])[]): readonly OutputPiece[] {
  const pieces: OutputPiece[] = []
  let end = 0
  for (const [from, to] of secrets) {
    pieces.push({ text: output.slice(end, from), secret: false })
    pieces.push({ text: output.slice(Math.max(from, end), to), secret: true })
    end = Math.max(end, to)
  }
  return [...pieces, { text: output.slice(end), secret: false }]
}
