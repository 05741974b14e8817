import { failure, type Result, success } from '#shared/base/result.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { LeafChange } from '../overlay/leaf-changes.ts'
import type { TreeSources } from '../overlay/nodes.ts'
import { diffTrees, emptyTree, entryAt, type Tree } from '../overlay/tree.ts'
import { createTreeEditor } from '../overlay/tree-editor.ts'
import type { TextMerge } from '../ports/text-merge.ts'
import { changedFile, unmergedFile } from './changed-file.ts'
import { chooseHunks, type HunkChoice, type HunkRefusal } from './file-hunks.ts'
import { planDiscard, planRevert } from './go-back.ts'
import { type MergeSources, treesOf } from './sides.ts'

/** The patch that gives chosen hunks of one file of a tree back to the base. */
export async function planRevertHunks(
  options: TreeSources & HunkChoice & { readonly tree: Tree; readonly textMerge: TextMerge },
): Promise<Result<Patch, HunkRefusal>> {
  const { tree, path } = options
  const change = await changedFile(options, emptyTree, tree, path)
  return dropHunks(options, tree, change, () => planRevert(tree, [path]))
}

/** The patch that takes chosen hunks of one file, as a merge would bring them, off a branch. */
export async function planDiscardHunks(options: MergeSources & HunkChoice): Promise<Result<Patch, HunkRefusal>> {
  const change = await unmergedFile(options, options.path)
  const { trees, branch, path } = options
  return dropHunks(options, treesOf(options).theirs, change, () => planDiscard(trees, branch, [path]).patch)
}

async function dropHunks(
  options: TreeSources & HunkChoice & { readonly textMerge: TextMerge },
  tree: Tree,
  change: LeafChange | undefined,
  whole: () => Patch,
): Promise<Result<Patch, HunkRefusal>> {
  if (!change) return failure('changed')
  const rest = await chooseHunks(change, options, 'drop', options)
  if (!rest.ok) return rest
  if (!change.before || !change.after) return success(whole())
  const editor = createTreeEditor({ ...options, tree })
  await editor.place(change.path, rest.value, { renamedFrom: entryAt(tree, change.path)?.renamedFrom })
  return success(diffTrees(tree, editor.tree))
}
