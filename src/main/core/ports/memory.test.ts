import { createHash } from 'node:crypto'
import type { BlobHash } from '#shared/model/ids.ts'
import { createMemoryBaseTree } from './base-tree.memory.ts'
import { describeBaseTree } from './base-tree.suite.ts'
import { createMemoryBlobStore } from './blob-store.memory.ts'
import { describeBlobStore } from './blob-store.suite.ts'
import { createMemoryJournal } from './journal.memory.ts'
import { describeJournal } from './journal.suite.ts'
import { createMemoryScratchStore } from './scratch-store.memory.ts'
import { describeScratchStore } from './scratch-store.suite.ts'

const now = () => 1_700_000_000_000
const close = () => undefined
const hashing = {
  hash: (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash,
  gitObjectId: (bytes: Uint8Array) => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
}

describeJournal('in memory', () => ({ journal: createMemoryJournal(now), close }))
describeBlobStore('in memory', () => ({ blobs: createMemoryBlobStore(hashing), close }))
describeScratchStore('in memory', () => ({ scratch: createMemoryScratchStore(now), close }))
describeBaseTree('in memory', async (fixtures) => ({
  tree: createMemoryBaseTree(fixtures),
  [Symbol.asyncDispose]: async () => undefined,
}))
