import { createHash } from 'node:crypto'
import type { BlobHash } from '#shared/model/ids.ts'
import { createMemoryBaseTree } from '../overlay/in-memory-base-tree.ts'
import { describeBaseTree } from './base-tree.contract.ts'
import { describeBlobStore } from './blob-store.contract.ts'
import { createMemoryBlobStore } from './blob-store.testkit.ts'
import { describeJournal } from './journal.contract.ts'
import { createMemoryJournal } from './journal.testkit.ts'
import { describeScratchStore } from './scratch-store.contract.ts'
import { createMemoryScratchStore } from './scratch-store.testkit.ts'

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
