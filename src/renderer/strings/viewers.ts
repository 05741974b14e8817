import { formatNumber } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'

/** Names of what notebooks say about themselves most often. */
const factNames: Readonly<Record<string, string>> = {
  'kernelspec.display_name': 'kernel',
  'kernelspec.name': 'name of the kernel',
  'language_info.name': 'language',
  'language_info.version': 'version of the language',
  execution_count: 'execution count',
  nbformat: 'format',
  nbformat_minor: 'minor format',
}
const longestFact = 60

function shortFact(text: string | null): string {
  return text !== null && text.length > longestFact ? `${text.slice(0, longestFact)}…` : (text ?? '')
}

/** Files that are shown as more than text. */
export const viewerStrings = {
  preview: 'Preview',
  source: 'Source',
  previewOf: (path: string) => `Preview of ${path}`,
  sourceOf: (path: string) => `Source of ${path}`,
  before: 'Before',
  after: 'After',
  added: 'New',
  removed: 'Deleted',
  kind: 'Kind',
  binary: 'Not a text file.',
  bytes: (count: string) => `${count} bytes`,
  sideBySide: 'Side by side',
  onionSkin: 'One over the other',
  shareOfAfter: 'Show the new one',
  pixels: (width: number, height: number) => `${formatNumber(width)} × ${formatNumber(height)} px`,
  broken: 'This is not a picture that can be shown.',
  tooLarge: 'Too large to show.',
  noNotebook: 'This is not a notebook that can be read. Its source shows what is in it.',
  cell: (change: string) => `Cell: ${change}`,
  cellChange: { same: 'Unchanged', changed: 'Changed', added: 'New', removed: 'Deleted' },
  cellKind: { code: 'Code', markdown: 'Text', raw: 'Raw' },
  moved: 'Moved to another place.',
  onlyOutputs: 'Only the outputs changed.',
  sameCells: (count: number) => `${plural(count, 'cell', 'cells')} did not change.`,
  allCells: (count: number) => `Show all ${formatNumber(count)} cells`,
  outputs: (count: number) => plural(count, 'output', 'outputs'),
  outputsBefore: (count: number) => `Before: ${plural(count, 'output', 'outputs')}`,
  sameNotebook: 'Cells, outputs and metadata are the same. The source shows what changed.',
  metadata: (changes: readonly string[], more: number) =>
    `Metadata changed: ${changes.join(', ')}${more > 0 ? `, and ${formatNumber(more)} more` : ''}.`,
  fact: (name: string, before: string | null, after: string | null) => {
    const what = factNames[name] ?? name
    if (before === null) return `${what} ${shortFact(after)} is new`
    return after === null
      ? `${what} ${shortFact(before)} is gone`
      : `${what} ${shortFact(before)} → ${shortFact(after)}`
  },
  picture: 'Picture that the cell made',
  hiddenOutput: (mediaType: string) => `An output of the kind ${mediaType} is not shown.`,
  emptyTable: 'The table is empty.',
  tableSize: (rows: number, columns: number, shown: number) =>
    `${formatNumber(rows)} ${rows === 1 ? 'row' : 'rows'} × ${formatNumber(columns)} ${columns === 1 ? 'column' : 'columns'}${shown < columns ? `, the first ${formatNumber(shown)} shown` : ''}`,
  rowNumber: 'Row',
  noJson: 'This is not valid JSON.',
  items: (count: number) => plural(count, 'item', 'items'),
  keys: (count: number) => plural(count, 'key', 'keys'),
  doubled: 'double',
  doubledHint: 'The object has this key more than once. Most programs use only the last one.',
  noPdf: 'This PDF cannot be read.',
  noPage: 'This page cannot be drawn.',
  pages: (count: number) => plural(count, 'page', 'pages'),
  page: (page: number) => `Page ${page}`,
  morePages: 'Show more pages',
} as const
