import type { BranchSources } from '#core/branches/branch-sides.ts'
import { driftVersions } from '#core/branches/settle-drift.ts'
import { findHead } from '#core/commands/changes.ts'
import { unwrap } from '#core/commands/command.ts'
import { treeAt } from '#core/journal/rewind.ts'
import type { TextHunk } from '#core/ports/text-merge.ts'
import {
  changedFile,
  conflictSides,
  describeChange,
  fileHunks,
  isBinary,
  type LeafChange,
  listChanges,
  nodeText,
  planMerge,
  type Tree,
  unmergedFile,
} from '#overlay'
import type { ConflictSides, ConflictVersion } from '#shared/contract/views/branches.ts'
import type { DiffHunk, FileDiff } from '#shared/contract/views/files.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import { octal, type TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import type { Project } from '../project/project.ts'

/** A branch as it was after an entry. */
export interface BranchState {
  readonly branchId: BranchId
  readonly sequence: Sequence
}

export interface Compared {
  readonly from: BranchState
  readonly to: BranchState
}

export function compareBranches(project: Project, { from, to }: Compared): Promise<readonly FileChange[]> {
  return listChanges({ ...project.services, from: stateOf(project, from), to: stateOf(project, to) })
}

/** Its hunks cannot be chosen, because this is not a current change of a branch. */
export async function compareFile(project: Project, { from, to }: Compared, path: VirtualPath): Promise<FileDiff> {
  const found = await changedFile(project.services, stateOf(project, from), stateOf(project, to), path)
  return { ...(await fileDiff(project, path, found)), fingerprint: null }
}

/** The change that merging one path of a branch would make. Once it is merged, the branch's change since its fork. */
export async function unmergedDiff(project: Project, sources: BranchSources, path: VirtualPath): Promise<FileDiff> {
  const unmerged = sources.branch.parentId === null ? undefined : await unmergedFile(sources, path)
  if (unmerged) return fileDiff(project, path, unmerged)
  const { fork, theirs } = sources
  return { ...(await fileDiff(project, path, await changedFile(sources, fork, theirs, path))), fingerprint: null }
}

/** The three versions of one path, and how they differ. */
export async function conflictView(sources: BranchSources, path: VirtualPath): Promise<ConflictSides> {
  const { base, ours, theirs, nodes } = await conflictSides({ ...sources, path })
  const { result } = await planMerge({ ...sources, paths: [path], force: false, strategy: 'refuse' })
  const conflict = result.conflicts.find((one) => one.path === path) ?? null
  const versions = { base: versionOf(nodes.base), ours: versionOf(nodes.ours), theirs: versionOf(nodes.theirs) }
  return { path, conflict, base: textOf(base), ours: textOf(ours), theirs: textOf(theirs), versions }
}

function versionOf(node: TreeNode | null): ConflictVersion | null {
  switch (node?.kind) {
    case undefined:
      return null
    case 'file': {
      const { size, executable, mode, blob: identity } = node
      return { kind: 'file', size, executable, identity, ...(mode !== undefined && { permissions: octal(mode) }) }
    }
    case 'symlink':
      return { kind: 'symlink', size: node.target.length, executable: false, identity: node.target }
    case 'directory':
      return { kind: 'directory', size: 0, executable: false, identity: null }
  }
}

/** Pin, workspace and disk of a path that both changed, for the conflict view before an apply. */
export async function diskConflict(
  { services }: Project,
  branchId: BranchId,
  path: VirtualPath,
): Promise<ConflictSides> {
  const versions = await driftVersions(services, unwrap(findHead(services, branchId)), path)
  if (!versions) throw new WireError('NOT_FOUND', `${path} is as it was on disk. There is nothing to decide.`)
  const text = (node: TreeNode | null) => (node?.kind === 'file' ? (nodeText(services.blobs, node) ?? null) : null)
  return { path, conflict: null, base: text(versions.pin), ours: text(versions.ours), theirs: text(versions.disk) }
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null || isBinary(bytes) ? null : new TextDecoder().decode(bytes)
}

function stateOf({ services }: Project, { branchId, sequence }: BranchState): Tree {
  const tree = treeAt(services.log, branchId, sequence)
  if (!tree) throw new WireError('NOT_FOUND', 'This branch did not exist at that time.')
  return tree
}

/** Limits for one file, so that packing it blocks neither side. */
const maxShown = { lines: 100_000, characters: 8_000_000, lineCharacters: 2000 }

/** The change of one path for a person to look at. Its hunks can be chosen when all of it is shown. */
export async function fileDiff(
  { services }: Project,
  path: VirtualPath,
  found: LeafChange | undefined,
): Promise<FileDiff> {
  if (!found) throw new WireError('NOT_FOUND', `${path} is not changed here.`)
  const change = await describeChange(found, services)
  const { hunks, fingerprint } = await fileHunks(found, services)
  const view = limitHunks(hunks)
  return { path, change, ...view, fingerprint: view.truncated ? null : fingerprint }
}

function limitHunks(hunks: readonly TextHunk[]): Pick<FileDiff, 'hunks' | 'truncated'> {
  const kept: DiffHunk[] = []
  const room = { ...maxShown }
  for (const hunk of hunks) {
    const lines: string[] = []
    for (const line of hunk.lines) {
      const cut = cutLine(line)
      room.lines -= 1
      room.characters -= cut.length
      if (room.lines < 0 || room.characters < 0) break
      lines.push(cut)
    }
    if (lines.length > 0) kept.push({ ...hunk, lines })
    if (lines.length < hunk.lines.length) return { hunks: kept, truncated: true }
  }
  return { hunks: kept, truncated: false }
}

function cutLine(line: string): string {
  const left = line.length - maxShown.lineCharacters
  return left > 0 ? `${beginningOf(line, maxShown.lineCharacters)}… (${left} more characters)` : line
}
