import { onlyPart } from './support/flags.ts'
import { type Row, report } from './support/report.ts'
import { firstLookRows } from './window/first-look.ts'
import { graphRows } from './window/graphs.ts'
import { handlingRows } from './window/handling.ts'
import { historyRows } from './window/history.ts'
import { memoryRows } from './window/memory.ts'
import { openingRows } from './window/opening.ts'
import { reviewRows } from './window/reviews.ts'
import { streamingRows } from './window/streaming.ts'

// Goals 16 and 17: the window under load, in a real browser. The first argument is the browser's path.
const browser = process.argv.slice(2).find((argument) => !argument.startsWith('--'))
if (browser === undefined) throw new Error('The window is measured in a browser, and there is none')

const parts: Readonly<Record<string, (executablePath: string) => Promise<readonly Row[]>>> = {
  streaming: streamingRows,
  'first-look': firstLookRows,
  opening: openingRows,
  graphs: graphRows,
  handling: handlingRows,
  memory: memoryRows,
  reviews: reviewRows,
  history: historyRows,
}
for (const [part, rows] of Object.entries(parts)) {
  if (onlyPart === undefined || onlyPart === part) report('window', await rows(browser), part)
}
process.exit(0)
