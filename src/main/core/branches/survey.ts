import { type DecideSources, decide, goalOf, type MergeSources, mergeUnits, type ThreeWay, type Tree } from '#overlay'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { permissionsMark, type TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { Pace } from '../ports/pace.ts'
import type { BranchSides } from './branch-sides.ts'

/** What is left to merge of one branch, and what stands in the way. */
export interface SurveyedBranch {
  readonly branchId: BranchId
  /** Files that merge without a decision, joined texts included. */
  readonly ready: number
  /** Files that conflict with the parent. */
  readonly conflicts: readonly VirtualPath[]
  /** Files of other unmerged branches that conflict with this one, once one of the two is merged. */
  readonly rivals: readonly { readonly branchId: BranchId; readonly path: VirtualPath }[]
}

interface OpenFiles {
  /** The parent's tree, the bases of earlier merges and the fork point that the result was computed with. */
  readonly of: readonly unknown[]
  /** The files that differ from the parent, with their decision. */
  readonly files: readonly { readonly sides: ThreeWay; readonly isConflict: boolean }[]
}

export interface SurveySources extends Omit<MergeSources, keyof BranchSides> {
  /** The sides of a branch as they are now. */
  sidesOf(branch: Branch): BranchSides
}

/** By the branch's tree, so that a branch is compared again only when it or its parent changes. */
const known = new WeakMap<Tree, OpenFiles>()

/** Branches that are compared with each other for one path. More would take long and tell a person nothing new. */
const comparedForPath = 12

/** Surveys branches: each against its parent, and each pair that changed the same file. */
export async function surveyBranches(
  sources: SurveySources,
  branches: readonly Branch[],
  pace: Pace,
): Promise<readonly SurveyedBranch[]> {
  const looking = { textMerge: sources.textMerge, blobs: withoutPut(sources.blobs) }
  const surveyed: { branch: Branch; files: OpenFiles['files'] }[] = []
  const byPath = new Map<string, { branch: Branch; sides: ThreeWay }[]>()
  for (const branch of branches) {
    await pace()
    const files = branch.parentId === null ? [] : await openFiles({ ...sources, ...sources.sidesOf(branch) }, looking)
    surveyed.push({ branch, files })
    for (const { sides } of files) {
      const key = `${branch.parentId} ${sides.path}`
      const others = byPath.get(key)
      if (others) others.push({ branch, sides })
      else byPath.set(key, [{ branch, sides }])
    }
  }
  const rivals = new Map<BranchId, { branchId: BranchId; path: VirtualPath }[]>()
  for (const all of byPath.values()) {
    const group = all.slice(0, comparedForPath)
    for (const [at, one] of group.entries()) {
      for (const other of group.slice(at + 1)) {
        await pace()
        if (!(await clash(one.sides, other.sides, looking))) continue
        const { path } = one.sides
        for (const [here, there] of [[one, other] as const, [other, one] as const]) {
          rivals.set(here.branch.id, [...(rivals.get(here.branch.id) ?? []), { branchId: there.branch.id, path }])
        }
      }
    }
  }
  return surveyed.map(({ branch, files }) => ({
    branchId: branch.id,
    ready: files.filter(({ isConflict }) => !isConflict).length,
    conflicts: files.flatMap(({ sides, isConflict }) => (isConflict ? [sides.path] : [])),
    rivals: rivals.get(branch.id) ?? [],
  }))
}

async function openFiles(sources: MergeSources, looking: DecideSources): Promise<OpenFiles['files']> {
  const { fork, ours, theirs, earlier } = sources
  const of = [ours, fork, earlier]
  const before = known.get(theirs)
  if (before?.of.every((one, at) => one === of[at])) return before.files
  const files: OpenFiles['files'][number][] = []
  for (const unit of await mergeUnits(sources, null)) {
    const { kind } = await decide(unit, looking)
    if (kind !== 'nothing' && kind !== 'same') files.push({ sides: goalOf(unit), isConflict: kind === 'conflict' })
  }
  known.set(theirs, { of, files })
  return files
}

const clashes = new Map<string, boolean>()
const clashesKept = 5000

/** True if two branches changed a file so that only one of them can be merged without a decision. */
async function clash(one: ThreeWay, other: ThreeWay, looking: DecideSources): Promise<boolean> {
  const key = [one.base, one.theirs, other.theirs].map(nameOf).join(' ')
  const before = clashes.get(key)
  if (before !== undefined) return before
  const { kind } = await decide({ kind: 'path', sides: { ...one, ours: other.theirs } }, looking)
  if (clashes.size >= clashesKept) clashes.clear()
  clashes.set(key, kind === 'conflict')
  return kind === 'conflict'
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

/** A survey joins texts only to see whether that is possible, so nothing is kept. */
function withoutPut({ get }: BlobStore): BlobStore {
  return { get, put: () => '' as ReturnType<BlobStore['put']> }
}
