import { createHash } from 'node:crypto'
import type { BlobHash, ThreadId } from '#shared/model/ids.ts'
import { openProjectDatabase } from './project-database.ts'

/** Appends entries with a blob each until it is killed. Prints each sequence number when it is acknowledged. */
const [file = ''] = process.argv.slice(2)
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash
const clock = { now: Date.now, sleep: async () => undefined }
const database = openProjectDatabase({ file, clock, hashing: { hash, gitObjectId: () => '' } })
for (;;) {
  const blob = database.blobs.put(Buffer.from(`content ${Math.random()}`.repeat(200)))
  const [entry] = database.journal.append([{ type: 'thread.titled', threadId: 't' as ThreadId, title: blob }])
  process.stdout.write(`${entry.sequence}\n`)
  await new Promise((resolve) => setImmediate(resolve))
}
