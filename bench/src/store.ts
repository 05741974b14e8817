import { bytesRows } from './store/bytes.ts'
import { historyRows } from './store/history.ts'
import { readingRows } from './store/reading.ts'
import { searchingRows } from './store/searching.ts'
import { stepRows } from './store/step-rows.ts'
import { waitingRows } from './store/waiting.ts'
import { onlyPart } from './support/flags.ts'
import { type Row, report } from './support/report.ts'

// Goals 5, 6, 7 and 18: the size and the time of a project's database.
const parts: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  bytes: bytesRows,
  steps: stepRows,
  reading: readingRows,
  waiting: waitingRows,
  searching: searchingRows,
  history: historyRows,
}
for (const [name, measure] of Object.entries(parts)) {
  if (onlyPart === undefined || onlyPart === name) report('store', await measure(), name)
}
