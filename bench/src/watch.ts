import { isQuick } from './support/flags.ts'
import { measureParts } from './support/measure-parts.ts'
import { largeFolderRows, watchRows } from './watch/watch-rows.ts'

// The files on disk that agents touched: how soon they are watched, what it costs, and how soon a change is announced.
// Watches alone do not keep a process alive.
const awake = setInterval(() => {}, 1000)
await measureParts('watch', {
  touched: () => watchRows(isQuick ? 500 : 5_000, isQuick ? 50 : 500),
  'large-folder': () => largeFolderRows(isQuick ? 1_000 : 10_000),
})
clearInterval(awake)
