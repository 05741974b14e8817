import { bytesRows } from './store/bytes.ts'
import { historyRows } from './store/history.ts'
import { readingRows } from './store/reading.ts'
import { searchingRows } from './store/searching.ts'
import { stepRows } from './store/step-rows.ts'
import { waitingRows } from './store/waiting.ts'
import { measureParts } from './support/measure-parts.ts'

// Goals 5, 6, 7 and 18: the size and the time of a project's database.
await measureParts('store', {
  bytes: bytesRows,
  steps: stepRows,
  reading: readingRows,
  waiting: waitingRows,
  searching: searchingRows,
  history: historyRows,
})
