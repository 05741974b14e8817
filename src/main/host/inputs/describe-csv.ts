import papa from 'papaparse'
import { type Description, shorten } from './describe-text.ts'

const maxColumns = 50
const rowsShown = 3

/** The columns of a table with their first values, and the number of rows. The first line names the columns. */
export function describeCsv(text: string): Description {
  const head: (readonly string[])[] = []
  let rows = -1
  let delimiter = ','
  papa.parse<readonly string[]>(text, {
    skipEmptyLines: 'greedy',
    step({ data, meta }) {
      rows += 1
      delimiter = meta.delimiter
      if (head.length <= rowsShown) head.push(data)
    },
  })
  const [names = [], ...first] = head
  const columns = names.slice(0, maxColumns).map((name, index) => {
    const values = first.map((row) => row[index] ?? '').filter((value) => value !== '')
    return `- ${inOneLine(name) || `(column ${index + 1})`}: ${shorten(inOneLine(values.join(', ')))}`
  })
  const more = names.length > maxColumns ? [`- and ${names.length - maxColumns} more`] : []
  return {
    about: `${count(names.length, 'column')}, ${count(Math.max(rows, 0), 'row')}, separated by ${nameOf(delimiter)}`,
    detail: `Columns, with their first values:\n${[...columns, ...more].join('\n')}`,
  }
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

function nameOf(delimiter: string): string {
  const names: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' }
  return names[delimiter] ?? `“${delimiter}”`
}
