import { nodeHashing } from '#overlay/node'
import { openProjectDatabase } from './project-database.ts'

/** Replaces the fold of a database until it is killed. Prints each sequence once it is stored. */
const [file = ''] = process.argv.slice(2)
const clock = { now: Date.now, sleep: async () => undefined }
const { folds } = openProjectDatabase({ file, clock, hashing: nodeHashing })
for (let sequence = 1; ; sequence += 1) {
  folds.write({ version: '1', sequence, body: JSON.stringify(Array(10_000).fill(sequence)) })
  process.stdout.write(`${sequence}\n`)
  await new Promise((resolve) => setImmediate(resolve))
}
