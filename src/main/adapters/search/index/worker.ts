import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { openSearchRoot } from '../search-folder.ts'
import { createIndexKeeper } from './keeper.ts'
import type { FromIndex, IndexTask, ToIndex } from './messages.ts'

/** Keeps one index until the host ends this thread. */
const task = workerData as IndexTask
const niceness = 5

let takeListed: (listed: string | null) => void = () => undefined
const tell = (message: FromIndex) => parentPort?.postMessage(message)
const keeper = createIndexKeeper({
  ...task,
  root: openSearchRoot(task.rootFolder),
  listWithEngine: (foreign) =>
    new Promise((resolve) => {
      takeListed = resolve
      tell({ list: foreign })
    }),
})
// The names of an earlier run are there. From here on this thread, and on Linux no other, steps back behind others.
setPriority(0, niceness)
parentPort?.on('message', async (message: ToIndex) => {
  if ('listed' in message) takeListed(message.listed)
  else tell({ id: message.id, answer: await keeper.answer(message.question) })
})
