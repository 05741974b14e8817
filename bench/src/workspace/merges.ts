import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { planMerge } from '../../../packages/overlay/src/index.ts'
import { branchSides } from '../../../src/main/core/branches/branch-sides.ts'
import { appendTo } from '../../../src/main/core/journal/project-log.testkit.ts'
import { readBranch } from '../../../src/main/core/journal/read-thread.ts'
import type { Patch } from '../../../src/shared/model/patch.ts'
import { type Change, changesOf, editsBeside, writeChanges } from '../support/changes.ts'
import { makeTree } from '../support/folders.ts'
import { commitAll, git, makeRepository } from '../support/git.ts'
import { sideBySide, timed } from '../support/measure.ts'
import { generateProject, type ProjectSize } from '../support/project.ts'
import { type Row, shortCount, versus } from '../support/report.ts'
import { commitPatch, forkWorkspace, patchFor, type Workspace } from '../support/workspace.ts'

const theirCount = 1_000
const ourCount = 200

/** Goal 9: a merge of a branch into its parent, with some files changed on both sides in different places. */
export async function mergeRows({ files, bytesEach }: ProjectSize): Promise<readonly Row[]> {
  await using project = await generateProject({ files, bytesEach })
  const { workspace, folder } = project
  const [theirs, ours] = [changesOf(files, bytesEach, theirCount), editsBeside(files, bytesEach, ourCount)]
  const repository = join(folder, 'repository')
  makeBranches(repository, { files, bytesEach }, { theirs, ours })
  const patches = { theirs: await patchFor(workspace, theirs), ours: await patchFor(workspace, ours) }
  const measured = await sideBySide(
    () => mergeOnce(workspace, patches),
    () => timed(() => git(repository, 'merge-tree', '--write-tree', 'ours', 'theirs')),
  )
  const operation = `merge of ${shortCount(theirCount)} changed files, ${ourCount} on both sides, committed`
  return [
    { operation, unit: 'ms', coppice: measured.coppice, ...versus('git merge-tree --write-tree', measured.peer, 1.3) },
  ]
}

/** Merges new branches, which end with this run. Returns the milliseconds. */
export async function mergeOnce(
  workspace: Workspace,
  { theirs, ours }: { readonly theirs: Patch; readonly ours: Patch },
): Promise<number> {
  const { services } = workspace.project
  const parent = forkWorkspace(workspace)
  const child = forkWorkspace(parent)
  commitPatch(parent, ours)
  commitPatch(child, theirs)
  await setImmediate()
  const branch = readBranch(services.log, child.branchId)
  if (!branch) throw new Error('The branch is gone')
  const started = performance.now()
  const plan = await planMerge({
    ...services,
    ...branchSides(services.log.trees, branch),
    paths: null,
    force: false,
    strategy: 'three_way',
  })
  const { threadId, branchId } = child
  appendTo(services.log, [
    { type: 'branch.merged', threadId, branchId, into: parent.branchId, ...plan, forced: false, by: 'agent' },
  ])
  const ms = performance.now() - started
  if (plan.result.conflicts.length > 0 || plan.result.merged.length !== ourCount) {
    throw new Error(`${plan.result.merged.length} files were joined, ${plan.result.conflicts.length} are in conflict`)
  }
  return ms
}

function makeBranches(
  repository: string,
  { files, bytesEach }: ProjectSize,
  sides: { readonly theirs: readonly Change[]; readonly ours: readonly Change[] },
): void {
  makeTree(repository, files, bytesEach)
  makeRepository(repository)
  for (const [name, changes] of Object.entries(sides)) {
    git(repository, 'checkout', '-qb', name, 'main')
    writeChanges(repository, changes)
    commitAll(repository)
  }
  git(repository, 'repack', '-adq')
}
