import {
  type DecideSources,
  decide,
  diffTrees,
  loadSides,
  type MergeSources,
  mergeUnits,
  sameNode,
  type ThreeWay,
  type Tree,
} from '#overlay'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { permissionsMark, type TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { BranchSides } from './branch-sides.ts'

/**
 * A file that two open branches of one family changed so that only one of the two changes can be merged without a decision.
 * The family is a branch, its parent and the other branches of that parent.
 */
export interface Overlap {
  /** The other branch. */
  readonly branchId: BranchId
  readonly path: VirtualPath
  /** What this branch has there: null for nothing, because it deleted or moved the file. */
  readonly own: TreeNode | null
  /** What the other one has there. */
  readonly other: TreeNode | null
  /** What both began with. */
  readonly base: TreeNode | null
}

export interface OverlapSources extends Omit<MergeSources, keyof BranchSides> {
  /** The sides of a branch as they are now. */
  sidesOf(branch: Pick<Branch, 'id' | 'parentId'>): BranchSides
}

type Member = Pick<Branch, 'id' | 'parentId'>

/** A parent's branch with the open branches that were forked from it. */
export interface BranchGroup {
  readonly parent: Member
  readonly children: readonly Member[]
}

export interface Overlaps {
  /** Those of a branch in one group that it belongs to, as its parent or as a child. */
  of(branch: BranchId, group: BranchGroup): Promise<readonly Overlap[]>
}

/** Which paths the branches of a group touched, kept up by what changed since the last look. */
interface GroupIndex {
  /** The tree of each branch at the last look. */
  readonly seen: Map<BranchId, Tree>
  readonly touched: Map<VirtualPath, Set<BranchId>>
  /** Of each branch, the paths that another one touched too. */
  readonly shared: Map<BranchId, Set<VirtualPath>>
}

/** Branches that are compared with each other for one path. More would take long and tell nobody anything new. */
const comparedForPath = 12
const answersKept = 5_000

/**
 * A look costs what changed since the last one, and a comparison for each file that two branches touched; a branch that touched
 * none of the others' files reads nothing. Branches are told apart by their trees, so the order of looks does not matter.
 */
export function createOverlaps(sources: OverlapSources): Overlaps {
  const groups = new Map<BranchId, GroupIndex>()
  const compare = createComparison(sources)
  return {
    async of(branch, group) {
      const members = new Map([group.parent, ...group.children].map((one) => [one.id, one]))
      const own = members.get(branch)
      const index = refresh(groups, sources, group)
      const found: Overlap[] = []
      if (own === undefined) return found
      for (const path of [...(index.shared.get(branch) ?? [])].sort()) {
        const open = [...(index.touched.get(path) ?? [])].flatMap((id) => members.get(id) ?? [])
        const compared = open.slice(0, comparedForPath)
        if (!compared.includes(own)) continue
        for (const other of compared.filter((one) => one !== own)) {
          const overlap = await compare(own, other, group.parent, path)
          if (overlap !== null) found.push(overlap)
        }
      }
      return found
    },
  }
}

/** Takes up what changed in a group since the last look. */
function refresh(
  groups: Map<BranchId, GroupIndex>,
  sources: OverlapSources,
  { parent, children }: BranchGroup,
): GroupIndex {
  const group = groups.get(parent.id) ?? { seen: new Map(), touched: new Map(), shared: new Map() }
  groups.set(parent.id, group)
  for (const child of children) {
    const { fork, ours, theirs } = sources.sidesOf(child)
    const before = group.seen.get(child.id)
    if (before === undefined) touch(group, parent.id, fork, ours)
    if (before !== theirs) touch(group, child.id, before ?? fork, theirs)
    group.seen.set(child.id, theirs)
    const parentBefore = group.seen.get(parent.id) ?? ours
    if (parentBefore !== ours) touch(group, parent.id, parentBefore, ours)
    group.seen.set(parent.id, ours)
  }
  return group
}

function touch({ touched, shared }: GroupIndex, id: BranchId, before: Tree, after: Tree): void {
  for (const [path] of diffTrees(before, after)) {
    const all = touched.get(path) ?? new Set()
    touched.set(path, all.add(id))
    if (all.size < 2) continue
    for (const one of all) shared.set(one, (shared.get(one) ?? new Set()).add(path))
  }
}

type Compare = (own: Member, other: Member, parent: Member, path: VirtualPath) => Promise<Overlap | null>

/** Compares two branches of a group at one path. Null when they join there. What two texts come to is remembered. */
function createComparison(sources: OverlapSources): Compare {
  const answers = new Map<string, boolean>()
  // Texts are joined only to see whether that is possible, so nothing is kept.
  const put = () => '' as ReturnType<MergeSources['blobs']['put']>
  const looking: DecideSources = { textMerge: sources.textMerge, blobs: { get: sources.blobs.get, put } }

  /** A child as what it changed since its fork or its last merge; null for nothing at the path. */
  async function changeOf(child: Member, path: VirtualPath): Promise<ThreeWay | null> {
    const sides = sources.sidesOf(child)
    const change = await loadSides({ ...sources, ...sides, ours: sides.theirs }, path)
    return sameNode(change.base, change.theirs) ? null : change
  }

  async function isInConflict(child: Member, sides: ThreeWay, ours: Tree): Promise<boolean> {
    // A file that one moved and the other changed is one unit of both paths.
    if (sides.ours === null || sides.theirs === null) {
      const units = await mergeUnits({ ...sources, ...sources.sidesOf(child), ours }, [sides.path])
      for (const unit of units) if ((await decide(unit, looking)).kind === 'conflict') return true
      return false
    }
    const key = [sides.base, sides.ours, sides.theirs].map(nameOf).join(' ')
    const known = answers.get(key)
    if (known !== undefined) return known
    const answer = (await decide({ kind: 'path', sides }, looking)).kind === 'conflict'
    if (answers.size >= answersKept) answers.clear()
    answers.set(key, answer)
    return answer
  }

  /** What stands between a child and its parent at a path. */
  async function withParent(child: Member, path: VirtualPath): Promise<ThreeWay | null> {
    const change = await changeOf(child, path)
    if (change === null) return null
    const sides = sources.sidesOf(child)
    const both = await loadSides({ ...sources, ...sides }, path)
    return (await isInConflict(child, both, sides.ours)) ? both : null
  }

  /** The same between two children. It does not depend on who asks: the first by its id is merged into the second. */
  async function between(one: Member, other: Member, path: VirtualPath): Promise<ThreeWay | null> {
    const [first, second] = one.id < other.id ? [one, other] : [other, one]
    const [change, into] = [await changeOf(first, path), await changeOf(second, path)]
    if (change === null || into === null) return null
    const both = { ...change, ours: into.theirs }
    return (await isInConflict(first, both, sources.sidesOf(second).theirs)) ? both : null
  }

  return async function compare(own, other, parent, path) {
    const isChild = own.id !== parent.id
    if (isChild && other.id !== parent.id) {
      const both = await between(own, other, path)
      if (both === null) return null
      const [mine, its] = own.id < other.id ? [both.theirs, both.ours] : [both.ours, both.theirs]
      return { branchId: other.id, path, own: mine, other: its, base: both.base }
    }
    const both = await withParent(isChild ? own : other, path)
    if (both === null) return null
    const [mine, its] = isChild ? [both.theirs, both.ours] : [both.ours, both.theirs]
    return { branchId: other.id, path, own: mine, other: its, base: both.base }
  }
}

function nameOf(node: TreeNode | null): string {
  switch (node?.kind) {
    case undefined:
      return '-'
    case 'file':
      return `${node.blob}${permissionsMark(node)}`
    case 'symlink':
      return `>${node.target}`
    case 'directory':
      return '/'
  }
}
