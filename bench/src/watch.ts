import { isQuick, onlyPart } from './support/flags.ts'
import { type Row, report } from './support/report.ts'
import { largeFolderRows, watchRows } from './watch/watch-rows.ts'

// The files on disk that agents touched: how soon they are watched, what it costs, and how soon a change is announced.
const parts: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  touched: () => watchRows(isQuick ? 500 : 5_000, isQuick ? 50 : 500),
  'large-folder': () => largeFolderRows(isQuick ? 1_000 : 10_000),
}
// Watches alone do not keep a process alive.
const awake = setInterval(() => {}, 1000)
for (const [name, measure] of Object.entries(parts)) {
  if (onlyPart === undefined || onlyPart === name) report('watch', await measure(), name)
}
clearInterval(awake)
