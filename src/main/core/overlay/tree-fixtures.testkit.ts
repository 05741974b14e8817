import { createHash } from 'node:crypto'
import { deflateSync, inflateSync } from 'node:zlib'
import { structuredPatch } from 'diff'
import { mergeDiff3 } from 'node-diff3'
import type { BlobHash } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createMemoryBlobStore } from '../ports/blob-store.testkit.ts'
import type { Deflate, Hashing } from '../ports/hashing.ts'
import type { TextMerge } from '../ports/text-merge.ts'
import { type BaseFixture, createMemoryBaseTree } from './in-memory-base-tree.ts'
import { createOverlayTransaction, type OverlayTransaction } from './overlay-transaction.ts'
import { emptyTree, type Tree } from './tree.ts'

/** Hashes for the tests of overlay, branches, patch and tools. */
export const testHashing: Hashing = {
  hash: (bytes) => createHash('sha256').update(bytes).digest('hex') as BlobHash,
  gitObjectId: (bytes) => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
}

export const testDeflate: Deflate = {
  deflate: (content) => new Uint8Array(deflateSync(content)),
  inflate: (content) => new Uint8Array(inflateSync(content)),
}

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

/** Compares lines as diff3 does. It has no limit, which is fine for texts in tests. */
export const testTextMerge: TextMerge = {
  async merge(base, ours, theirs) {
    const merged = mergeDiff3(linesOf(ours), linesOf(base), linesOf(theirs), { excludeFalseConflicts: true })
    return merged.conflict ? null : { text: merged.result.join('') }
  },
  async hunks(before, after, context) {
    const { hunks: found } = structuredPatch('', '', before, after, '', '', { context })
    /** The library gives the number of the line after an empty side; the port wants the line before. */
    const hunks = found.map((hunk) => ({
      ...hunk,
      oldStart: hunk.oldLines === 0 ? hunk.oldStart - 1 : hunk.oldStart,
      newStart: hunk.newLines === 0 ? hunk.newStart - 1 : hunk.newStart,
    }))
    const count = (sign: string) => hunks.flatMap(({ lines }) => lines.filter((line) => line.startsWith(sign))).length
    return { hunks, added: count('+'), removed: count('-'), approximate: false }
  },
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
