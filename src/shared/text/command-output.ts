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

/** What the app says of the end of a command and what a card shows in another way. */
const shownElsewhere = /^(Exit code |Changes: |The sandbox seems to have kept it from: )/

/**
 * The lines of an output without what the app says at its end and a card shows in another way. The app always says the
 * exit code, so everything before that sentence is the command's own, whatever it looks like.
 *
 * @param exitCode null when a signal ended the command; then nothing is left out
 */
export function printedLines(lines: readonly OutputLine[], exitCode: number | null): readonly OutputLine[] {
  const end = lines.findLastIndex(([first]) => first?.text.startsWith(`Exit code ${exitCode}. `))
  if (exitCode === null || end < 0) return lines
  const notes = lines.slice(end).filter(([first]) => !shownElsewhere.test(first?.text ?? ''))
  return withoutBlankEnd([...withoutBlankEnd(lines.slice(0, end)), ...notes])
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
