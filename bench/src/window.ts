import { measureParts } from './support/measure-parts.ts'
import { familyRows } from './window/families.ts'
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

await measureParts('window', {
  streaming: () => streamingRows(browser),
  'first-look': () => firstLookRows(browser),
  opening: () => openingRows(browser),
  graphs: () => graphRows(browser),
  handling: () => handlingRows(browser),
  memory: () => memoryRows(browser),
  reviews: () => reviewRows(browser),
  history: () => historyRows(browser),
  family: () => familyRows(browser),
})
process.exit(0)
