import { type Line, lineOf, lineWidth } from './spans.ts'

/** Rows in columns as wide as their widest cell, two spaces apart, below a dim head. The last column may be any width. */
export function tableLines(head: readonly string[], rows: readonly (readonly Line[])[]): readonly Line[] {
  const lines = [head.map((title) => lineOf(title, 'dim')), ...rows]
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => lineWidth(cells[column] ?? []))))
  return lines.map((cells) =>
    cells.flatMap((cell, column): Line => {
      const isLast = column === cells.length - 1
      return isLast ? cell : [...cell, { text: ' '.repeat((widths[column] ?? 0) - lineWidth(cell) + 2) }]
    }),
  )
}
