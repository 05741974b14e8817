type Cell = string | number | null

/**
 * A table as CSV (RFC 4180): lines end with CRLF, cells are quoted where they must be, null is an empty cell. A
 * spreadsheet runs a text that begins like a formula, so such a text gets an apostrophe in front.
 */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  return rows.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

function csvCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
