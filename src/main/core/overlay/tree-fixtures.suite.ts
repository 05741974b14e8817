import { createHash } from 'node:crypto'
import type { BlobHash } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type BaseFixture, createMemoryBaseTree } from '../ports/base-tree.memory.ts'
import { createMemoryBlobStore } from '../ports/blob-store.memory.ts'
import type { Hashing } from '../ports/hashing.ts'
import { createDraft, type Draft } from './draft.ts'
import { emptyTree, type Tree } from './tree.ts'

/** What the tests of overlay, branches, patch and tools share. */
export const testHashing: Hashing = {
  hash: (bytes) => createHash('sha256').update(bytes).digest('hex') as BlobHash,
  gitObjectId: (bytes) => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
}

export const at = (path: string): VirtualPath => path as VirtualPath
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
export const text = (content: Uint8Array): string => new TextDecoder().decode(content)

export function openWorld(fixtures: Readonly<Record<string, BaseFixture>> = {}) {
  const base = createMemoryBaseTree(fixtures)
  const sources = { base, blobs: createMemoryBlobStore(testHashing), hashing: testHashing }
  return {
    ...sources,
    sources,
    draft: (tree: Tree = emptyTree): Draft => createDraft({ ...sources, tree }),
    /** The tree after some work on a draft. */
    async change(tree: Tree, work: (draft: Draft) => Promise<unknown>): Promise<Tree> {
      const draft = createDraft({ ...sources, tree })
      await work(draft)
      return draft.tree
    },
  }
}
export type World = ReturnType<typeof openWorld>
