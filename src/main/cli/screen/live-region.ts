import type { Screen } from './screen.ts'
import { cutLine, type Line, lineWidth } from './spans.ts'

/**
 * The bottom of a terminal: lines that stay scroll away above a few rows that are drawn again in place. On anything
 * else than a terminal the rows are left out.
 */
export interface LiveRegion {
  /**
   * Prints lines for good, above the rows. They must fit the width, or the terminal breaks them. `rows` take the place of
   * the rows that were drawn before.
   */
  print(lines: readonly Line[], rows?: readonly Line[]): void
  /** Replaces the rows. Those that do not fit the height are left out at the top, and long ones are cut. */
  draw(rows: readonly Line[]): void
  /** Takes the rows away, for example before another program uses the terminal. */
  clear(): void
}

const up = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : '')
const eraseBelow = '\r\u001b[J'

export function createLiveRegion(
  screen: Screen,
  paint: (line: Line) => string,
  write: (text: string) => void,
): LiveRegion {
  /** The widths of the drawn rows. The cursor stands at the end of the last one. */
  let drawn: readonly number[] = []
  let rows: readonly Line[] = []
  const erase = (): string => {
    if (drawn.length === 0) return ''
    // A terminal that became narrower has broken the rows.
    const taken = drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / screen.columns())), 0)
    drawn = []
    return `${up(taken - 1)}${eraseBelow}`
  }
  const frame = (): string => {
    if (!screen.isLive || rows.length === 0) return ''
    // One column is left, because some terminals break a row that fills the last one.
    const most = Math.max(1, screen.rows() - 1)
    const shown = rows.slice(-most).map((row) => cutLine(row, Math.max(1, screen.columns() - 1)))
    drawn = shown.map(lineWidth)
    return shown.map(paint).join('\r\n')
  }
  return {
    print(lines, next = rows) {
      rows = next
      if (lines.length === 0) return
      const end = screen.isLive ? '\r\n' : '\n'
      write(`${erase()}${lines.map((line) => `${paint(line)}${end}`).join('')}${frame()}`)
    },
    draw(next) {
      rows = next
      const text = `${erase()}${frame()}`
      if (text !== '') write(text)
    },
    clear() {
      rows = []
      const text = erase()
      if (text !== '') write(text)
    },
  }
}
