import type { TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { isLeaf } from '../overlay/nodes.ts'
import { entryAt, type Tree } from '../overlay/tree.ts'
import type { TreeEditor } from '../overlay/tree-editor.ts'
import { type MergeLog, wantedNode } from './merge-log.ts'
import { clearWay, isBlocked } from './merge-way.ts'
import { goalOf, type MergeTrees, type MergeUnit, type Sides, sidesOf } from './sides.ts'

/** A unit that will be carried out; `joined` when both sides' lines go into the file. */
export interface Accepted {
  readonly unit: MergeUnit
  readonly joined: TreeNode | null
}

/** Deletions first: a file may take the place of a folder that they empty, and a folder that of a file. */
export async function carryOut(
  editor: TreeEditor,
  trees: MergeTrees,
  accepted: readonly Accepted[],
  force: boolean,
  log: MergeLog,
): Promise<void> {
  for (const one of accepted) {
    for (const sides of leaving(one)) await editor.place(sides.path, null, pinOf(trees, sides))
  }
  const blocked = force ? new Set() : await bringBackBlocked(editor, trees, accepted)
  for (const one of accepted) {
    if (blocked.has(one)) log.blocked(one.unit)
    else await put(editor, trees, one, log)
  }
}

/** What cannot be put where it belongs stays where it was, and may there stand in the way of others. */
async function bringBackBlocked(
  editor: TreeEditor,
  trees: MergeTrees,
  accepted: readonly Accepted[],
): Promise<ReadonlySet<Accepted>> {
  const blocked = new Set<Accepted>()
  let left = accepted.filter(needsRoom)
  for (let size = -1; size < blocked.size; ) {
    size = blocked.size
    for (const one of left) {
      if (!(await isBlocked(editor, goalOf(one.unit).path))) continue
      blocked.add(one)
      for (const gone of leaving(one))
        await editor.place(gone.path, gone.ours, { ...pinOf(trees, gone), ...detailsAt(trees.ours, gone.path) })
    }
    left = left.filter((one) => !blocked.has(one))
  }
  return blocked
}

async function put(editor: TreeEditor, trees: MergeTrees, one: Accepted, log: MergeLog): Promise<void> {
  const { unit, joined } = one
  const sides = goalOf(unit)
  const removed = needsRoom(one) ? await clearWay(editor, sides.path) : []
  if (removed.length > 0) log.overwritten(unit, removed)
  const node = wantedNode(unit, joined)
  const details = detailsAt(unit.kind === 'moved' ? trees.ours : trees.theirs, sides.path)
  if (node) await editor.place(sides.path, node, { ...pinOf(trees, sides), ...details })
  log.done(unit, joined !== null)
}

/** Not so a file or link of the parent's that becomes another one: it stood in its folders, and takes nobody's place. */
function needsRoom({ unit, joined }: Accepted): boolean {
  return wantedNode(unit, joined) !== null && !(unit.kind === 'path' && isLeaf(unit.sides.ours))
}

/** The files of the parent that a unit takes away. */
function leaving({ unit, joined }: Accepted): readonly Sides[] {
  const goal = goalOf(unit)
  return sidesOf(unit).filter((sides) => {
    const stays = sides === goal && wantedNode(unit, joined) !== null
    return !stays && sides.ours !== null && sides.ours.kind !== 'directory'
  })
}

function pinOf({ ours }: MergeTrees, { path, ours: node }: Sides) {
  return node && !entryAt(ours, path) ? { pin: node } : {}
}

function detailsAt(tree: Tree, path: VirtualPath) {
  const entry = entryAt(tree, path)
  return { renamedFrom: entry?.renamedFrom, changedAt: entry?.changedAt }
}
