import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { collectPatchFiles, emptyTree, listChanges, writePatch } from '../../../packages/overlay/src/index.ts'
import { createPace } from '../../../src/main/adapters/pace.ts'
import { applyToDisk, undoApply } from '../../../src/main/host/changes/apply.ts'
import { exportPatch } from '../../../src/main/host/changes/export-patch.ts'
import { type Change, changesOf, writeChanges } from '../support/changes.ts'
import { makeTree } from '../support/folders.ts'
import { git, makeRepository } from '../support/git.ts'
import { sideBySide, summarise, timed } from '../support/measure.ts'
import { type GeneratedProject, generateProject, type ProjectSize } from '../support/project.ts'
import { type Row, shortCount, versus } from '../support/report.ts'
import { replaceSynced } from '../support/synced-writes.ts'
import { changeWorkspace, headOf, type Workspace } from '../support/workspace.ts'

const changeCount = 1_000
const gitDiff = ['diff', '--binary', '--full-index', '-M', 'HEAD']

/** Goal 8, and the diff of goal 9: the same changes in a workspace and in the working tree of a git repository. */
export async function patchRows({ files, bytesEach }: ProjectSize): Promise<readonly Row[]> {
  await using project = await generateProject({ files, bytesEach })
  const { workspace, folder } = project
  const changes = changesOf(files, bytesEach, changeCount)
  await changeWorkspace(workspace, changes)
  const repository = join(folder, 'repository')
  makeTree(repository, files, bytesEach)
  makeRepository(repository)
  writeChanges(repository, changes)
  git(repository, 'add', '--intent-to-add', '.')
  const of = `of ${shortCount(changeCount)} changed files of ${shortCount(files)}`
  return [
    ...(await writtenRows(of, workspace, repository)),
    await diffRow(of, workspace, repository),
    ...(await applyRows(of, project, repository, changes)),
  ]
}

async function writtenRows(of: string, workspace: Workspace, repository: string): Promise<readonly Row[]> {
  const diff = () => timed(() => git(repository, ...gitDiff))
  const written = await sideBySide(() => timed(() => patchOf(workspace)), diff)
  const verified = await sideBySide(() => timed(() => exportPatch(workspace.project, headOf(workspace), null)), diff)
  const kilobytes = (bytes: Uint8Array) => summarise([bytes.length / 1024])
  const name = 'git diff --binary --full-index -M'
  return [
    { operation: `patch ${of}`, unit: 'ms', coppice: written.coppice, ...versus(name, written.peer, 0.7) },
    {
      operation: `patch ${of}, size`,
      unit: 'KB',
      coppice: kilobytes(await patchOf(workspace)),
      ...versus(name, kilobytes(git(repository, ...gitDiff)), 1.02),
    },
    {
      operation: `patch ${of}, read back and taken by git as every export is`,
      unit: 'ms',
      coppice: verified.coppice,
      ...versus(name, verified.peer),
    },
  ]
}

async function patchOf(workspace: Workspace): Promise<Uint8Array> {
  const { services, deflate } = workspace.project
  const pace = createPace()
  const { files } = await collectPatchFiles({ ...services, tree: headOf(workspace), paths: null, pace })
  return await writePatch({ ...services, files, deflate, pace })
}

async function diffRow(of: string, workspace: Workspace, repository: string): Promise<Row> {
  const { services } = workspace.project
  const measured = await sideBySide(
    () => timed(() => listChanges({ ...services, from: emptyTree, to: headOf(workspace) })),
    () => timed(() => git(repository, 'diff', '--numstat', 'HEAD')),
  )
  const operation = `diff ${of}, with counts of lines`
  return { operation, unit: 'ms', coppice: measured.coppice, ...versus('git diff --numstat', measured.peer, 1) }
}

/** Each run writes the changes and takes them back. Only the writing is measured. */
async function applyRows(
  of: string,
  { workspace, folder }: GeneratedProject,
  repository: string,
  changes: readonly Change[],
): Promise<readonly Row[]> {
  const patch = join(folder, 'changes.patch')
  writeFileSync(patch, git(repository, ...gitDiff))
  git(repository, 'reset', '--hard')
  git(repository, 'clean', '-fd')
  const besideGit = await sideBySide(
    () => applyOnce(workspace),
    async () => {
      const ms = await timed(() => git(repository, 'apply', patch))
      git(repository, 'apply', '--reverse', patch)
      return ms
    },
  )
  const besideDisk = await sideBySide(
    () => applyOnce(workspace),
    () => timed(() => replaceSynced(join(folder, 'synced'), changes)),
  )
  const operation = `apply ${of}`
  return [
    { operation, unit: 'ms', coppice: besideGit.coppice, ...versus('git apply, nothing synced', besideGit.peer, 1.5) },
    { operation, unit: 'ms', coppice: besideDisk.coppice, ...versus('write, fsync and rename alone', besideDisk.peer) },
  ]
}

async function applyOnce({ project, branchId }: Workspace): Promise<number> {
  const started = performance.now()
  const { sequence } = await applyToDisk(project, branchId, null)
  const ms = performance.now() - started
  await undoApply(project, branchId, sequence)
  return ms
}
