import { createHash } from 'node:crypto'
import { JournalError } from '#core/ports/journal.ts'
import type { BlobHash, ThreadId } from '#shared/model/ids.ts'
import { openProjectDatabase } from './project-database.ts'

/** Appends until the disk (here: the limit on file size) is full. Prints the error, and what can still be read. */
const [file = ''] = process.argv.slice(2)
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash
const clock = { now: Date.now, sleep: async () => undefined }
const database = openProjectDatabase({ file, clock, hashing: { hash, gitObjectId: () => '' } })
let acknowledged = 0
let blob: BlobHash | undefined
try {
  for (;;) {
    const bytes = new Uint8Array(20_000).map(() => Math.random() * 256)
    blob = database.blobs.put(bytes)
    const [entry] = database.journal.append([{ type: 'thread.titled', threadId: 't' as ThreadId, title: blob }])
    acknowledged = entry.sequence
  }
} catch (error) {
  const code = error instanceof JournalError ? error.code : String(error)
  const kept = blob ? database.blobs.get(blob).length : 0
  process.stdout.write(JSON.stringify({ code, acknowledged, read: database.journal.read({ after: 0 }).length, kept }))
}
