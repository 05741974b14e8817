import xterm from '@xterm/headless'
import type { Screen } from './screen.ts'

/** A terminal in memory that shows what real ones show. */
export interface TestTerminal {
  readonly screen: Screen
  write(text: string): void
  /** The rows of the screen and above it, without the empty end. */
  rows(): Promise<readonly string[]>
  resize(columns: number, rows: number): void
}

/** Opens a terminal of this size. */
export function openTestTerminal(columns: number, rows: number): TestTerminal {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 1000, allowProposedApi: true })
  return {
    screen: {
      isLive: true,
      colourDepth: 8,
      hasMarks: true,
      columns: () => terminal.cols,
      rows: () => terminal.rows,
    },
    write: (text) => terminal.write(text),
    resize: (newColumns, newRows) => terminal.resize(newColumns, newRows),
    async rows() {
      // Writes are taken in order, so an empty one ends after all of them.
      await new Promise<void>((resolve) => terminal.write('', resolve))
      const { active } = terminal.buffer
      const lines = Array.from(
        { length: active.length },
        (_, row) => active.getLine(row)?.translateToString(true) ?? '',
      )
      return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1)
    },
  }
}
