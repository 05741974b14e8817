import type { TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { isLeaf } from '../overlay/nodes.ts'
import { entryAt, type Tree } from '../overlay/tree.ts'
import type { TreeEditor } from '../overlay/tree-editor.ts'
import { type MergeLog, wantedNode } from './merge-log.ts'
import { clearWay } from './merge-way.ts'
import { goalOf, type MergeTrees, type MergeUnit, type Sides, sidesOf } from './sides.ts'

/** A unit that will be carried out; `joined` when both sides' lines go into the file. */
export interface Accepted {
  readonly unit: MergeUnit
  readonly joined: TreeNode | null
}

/** Deletions first: a file may take the place of a folder that they empty, and a folder that of a file. */
export async function carryOut(
  editor: TreeEditor,
  { ours, theirs }: MergeTrees,
  accepted: readonly Accepted[],
  force: boolean,
  log: MergeLog,
): Promise<void> {
  const pin = ({ path, ours: node }: Sides) => (node && !entryAt(ours, path) ? { pin: node } : {})
  for (const { unit, joined } of accepted) {
    for (const sides of leaving(unit, joined)) await editor.place(sides.path, null, pin(sides))
  }
  for (const { unit, joined } of accepted) {
    const sides = goalOf(unit)
    const node = wantedNode(unit, joined)
    const way = node && !stands(unit) ? await clearWay(editor, sides.path, force) : ({ kind: 'clear' } as const)
    if (way.kind === 'blocked') {
      for (const gone of leaving(unit, joined))
        await editor.place(gone.path, gone.ours, { ...pin(gone), ...detailsAt(ours, gone.path) })
      log.blocked(unit)
      continue
    }
    if (way.kind === 'cleared') log.overwritten(unit, way.removed)
    if (node)
      await editor.place(sides.path, node, {
        ...pin(sides),
        ...detailsAt(unit.kind === 'moved' ? ours : theirs, sides.path),
      })
    log.done(unit, joined !== null)
  }
}

/** A file or link of the parent's that becomes another one: it stood in its folders, and takes nobody's place. */
function stands(unit: MergeUnit): boolean {
  return unit.kind === 'path' && isLeaf(unit.sides.ours)
}

/** The files of the parent that a unit takes away. */
function leaving(unit: MergeUnit, joined: TreeNode | null): readonly Sides[] {
  const goal = goalOf(unit)
  return sidesOf(unit).filter((sides) => {
    const stays = sides === goal && wantedNode(unit, joined) !== null
    return !stays && sides.ours !== null && sides.ours.kind !== 'directory'
  })
}

function detailsAt(tree: Tree, path: VirtualPath) {
  const entry = entryAt(tree, path)
  return { renamedFrom: entry?.renamedFrom, changedAt: entry?.changedAt }
}
