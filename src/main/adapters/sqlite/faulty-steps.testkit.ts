import { createHash } from 'node:crypto'
import { JournalError } from '#core/ports/journal.ts'
import type { BlobHash, ThreadId } from '#shared/model/ids.ts'
import { openProjectDatabase } from './project-database.ts'

/**
 * Opens a database and stores steps in it, on a disk that fails. After a step that was refused it goes on with the
 * next. Prints what was acknowledged and what was said, as one line of JSON.
 */
export interface FaultySteps {
  /** The steps that `append` acknowledged, by number. */
  readonly acknowledged: readonly number[]
  /** Codes and messages of every refusal. `unknown` is an error that is not made for a person. */
  readonly refusals: readonly { readonly code: string; readonly message: string }[]
  readonly movedAside: string | null
}

const [file = '', count = '0', size = '0'] = process.argv.slice(2)
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash
const clock = { now: Date.now, sleep: async () => undefined }
const acknowledged: number[] = []
const refusals: { code: string; message: string }[] = []
const attempt = <Value>(act: () => Value): Value | undefined => {
  try {
    return act()
  } catch (error) {
    const code = error instanceof JournalError ? error.code : 'unknown'
    refusals.push({ code, message: error instanceof Error ? error.message : String(error) })
    return undefined
  }
}
const database = attempt(() => openProjectDatabase({ file, clock, hashing: { hash, gitObjectId: () => '' } }))
for (let step = 0; database && step < Number(count); step += 1) {
  // Different bytes for each step, that cannot be packed, and the same in every process.
  const bytes = Buffer.concat(
    Array.from({ length: Math.ceil(Number(size) / 32) }, (_, part) =>
      createHash('sha256').update(`${step} ${part}`).digest(),
    ),
  )
  const threadId = 't' as ThreadId
  const stored = attempt(() =>
    database.journal.append([
      { type: 'thread.titled', threadId, title: database.blobs.put(bytes) },
      { type: 'thread.titled', threadId, title: `end of step ${step}` },
    ]),
  )
  if (stored) acknowledged.push(step)
}
attempt(() => database?.[Symbol.dispose]())
process.stdout.write(JSON.stringify({ acknowledged, refusals, movedAside: database?.movedAside ?? null }))
