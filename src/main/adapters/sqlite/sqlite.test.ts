import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeBlobStore } from '#core/ports/blob-store.contract.ts'
import { describeJournal } from '#core/ports/journal.contract.ts'
import { describeScratchStore } from '#core/ports/stores/scratch-store.contract.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import { openProjectDatabase, type ProjectDatabase } from './project-database.ts'

const hashing = {
  hash: (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash,
  gitObjectId: () => '',
}
const clock = { now: () => 1_700_000_000_000, sleep: async () => undefined }

function open(): ProjectDatabase & { readonly close: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-sqlite-'))
  const database = openProjectDatabase({ file: join(folder, 'project.db'), clock, hashing })
  const close = () => {
    database[Symbol.dispose]()
    rmSync(folder, { recursive: true, force: true })
  }
  return { ...database, close }
}

describeJournal('sqlite', open)
describeBlobStore('sqlite', open)
describeScratchStore('sqlite', open)
