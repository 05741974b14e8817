import type { FileTree } from '#core/ports/file-tree.ts'
import {
  createMemoryBlobStore,
  createOverlayTransaction,
  createOverlayTree,
  emptyTree,
  type Leaf,
  leafChanges,
  patchTree,
  readNode,
  readUnread,
  type Tree,
} from '#overlay'
import { testHashing } from '#overlay/testkit'
import { isLarge } from '#shared/model/tree-node.ts'
import { createDiskBaseTree } from './disk-base-tree.ts'
import { type Change, operate } from './overlay-operations.testkit.ts'
import { snapshotOf, words } from './tree-snapshot.testkit.ts'

/**
 * A branch over a real folder. Every operation has its own overlay transaction, and its patch is committed as in the
 * app.
 */
export function createOverlayWorld(place: string, pinnedFiles: number, most?: number) {
  const sources = {
    base: createDiskBaseTree(place, null, most),
    blobs: createMemoryBlobStore(testHashing),
    hashing: testHashing,
  }
  const viewAt = (tree: Tree): FileTree => createOverlayTree({ ...sources, tree })
  let tree = emptyTree
  return {
    ...sources,
    get tree() {
      return tree
    },
    async change(operation: Change, before: Uint8Array | undefined): Promise<string> {
      const draft = createOverlayTransaction({ ...sources, tree, pinnedFiles })
      const outcome = await outcomeOf(() => operate(draft, operation, place, before))
      if (outcome.ok) tree = patchTree(tree, draft.patch())
      return outcome.said
    },
    snapshot: (at = tree) => snapshotOf(viewAt(at), place),
    /** What the branch says it changed: path → before and after. Also every rename without an origin. */
    async diff() {
      const changes = await leafChanges(sources.base, emptyTree, tree)
      const gone = new Set(changes.filter(({ before, after }) => before && !after).map(({ path }) => path))
      const strays = changes.filter(({ renamedFrom }) => renamedFrom && !gone.delete(renamedFrom))
      const said = new Map<string, string>()
      for (const change of changes) {
        const { path, before, after } = await readUnread(sources, change)
        said.set(path, `${await leafWords(before)} => ${await leafWords(after)}`)
      }
      return { said, strays }
    },
  }

  async function leafWords(leaf: Leaf | null): Promise<string> {
    if (leaf === null) return 'nothing'
    const bytes = isLarge(leaf)
      ? await sources.base.read(leaf.large.path, { offset: 0, length: leaf.size })
      : readNode(sources.blobs, leaf)
    return words({ ...leaf, modified: 0 }, bytes, place)
  }
}

export async function outcomeOf(act: () => Promise<unknown>): Promise<{ readonly ok: boolean; readonly said: string }> {
  try {
    return { ok: true, said: JSON.stringify((await act()) ?? 'done') }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { ok: false, said: String(error.code) }
    throw error
  }
}
