import { lineMerge } from '../merge/line-merge.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import { nodeDeflate, nodeHashing } from '../node.ts'
import { createMemoryBlobStore } from '../ports/blob-store.ts'
import { type BaseFixture, createMemoryBaseTree } from './in-memory-base-tree.ts'
import { createOverlayTransaction, type OverlayTransaction } from './overlay-transaction.ts'
import { emptyTree, type Tree } from './tree.ts'

/** Hashes for the tests of overlay, branches, patch and tools. */
export const testHashing = nodeHashing
export const testDeflate = nodeDeflate
/** It has no limit, which is fine for texts in tests. */
export const testTextMerge = lineMerge

export const at = (path: string): VirtualPath => path as VirtualPath
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
export const text = (content: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(content)

/** Files of the base with more bytes than `most` are large. */
export function openWorld(
  fixtures: Readonly<Record<string, BaseFixture>> = {},
  pinnedFiles?: number,
  most: number | null = null,
) {
  const base = createMemoryBaseTree(fixtures, most === null ? null : { most, hashing: testHashing })
  const sources = { base, blobs: createMemoryBlobStore(testHashing), hashing: testHashing }
  return {
    ...sources,
    sources,
    draft: (tree: Tree = emptyTree): OverlayTransaction => createOverlayTransaction({ ...sources, tree, pinnedFiles }),
    /** The tree after some work on a draft. */
    async change(tree: Tree, work: (draft: OverlayTransaction) => Promise<unknown>): Promise<Tree> {
      const draft = createOverlayTransaction({ ...sources, tree, pinnedFiles })
      await work(draft)
      return draft.tree
    },
  }
}
export type World = ReturnType<typeof openWorld>
