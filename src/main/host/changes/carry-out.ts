import type { RecoveredApply } from '#adapters/disk/restore-apply.ts'
import {
  type ApplyIntent,
  failApply,
  findUnfinishedApplies,
  finishApply,
  invertStep,
  type StartedApply,
  startApply,
} from '#core/commands/apply.ts'
import { CommandError, type CommandProject, type Decided, type Stored } from '#core/commands/command.ts'
import { type ApplyStep, type ApplyWatch, type DiskApply, DiskApplyError } from '#core/ports/disk-apply.ts'
import { readNode } from '#overlay'
import type { Sequence } from '#shared/model/ids.ts'
import { sameNode } from '#shared/model/patch.ts'
import { isWithin, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'

/** A project whose folder can be written, and the method that stores the results. */
export interface ApplyingProject {
  readonly services: CommandProject
  readonly disk: DiskApply
  run<Answer>(decided: Decided<Answer>): Stored<Answer>
}

/**
 * Stores the intent, writes the folder, stores the result. Returns the sequence of the entry to undo.
 *
 * @throws CommandError when the workspace moved on meanwhile; the folder is as it was
 * @throws DiskApplyError when the folder could not be written; it is as it was, except for changes by others
 */
export async function carryOutApply(
  project: ApplyingProject,
  intent: ApplyIntent,
  watch: ApplyWatch = {},
): Promise<Sequence> {
  const started = { ...intent, sequence: sequenceOf(project.run(startApply(intent))) }
  await writeFolder(project, started, intent.steps, watch)
  return concludeApply(project, started)
}

/**
 * Finishes applies that a crash cut off. By now each folder has all of its part of an apply or nothing, and the journal
 * follows it. Where only some folders have theirs, it is taken back. Call once on opening, with the result of the
 * disk's own recovery.
 */
export async function finishApplies(project: ApplyingProject, recovered: readonly RecoveredApply[]): Promise<void> {
  for (const started of findUnfinishedApplies(project.services.log)) {
    const parts = partsOf(started.steps, project.services.base.roots?.() ?? [])
    const arrived: (readonly ApplyStep[])[] = []
    const left: VirtualPath[] = []
    for (const steps of parts) {
      const paths = steps.map(({ path }) => path).join('\0')
      const known = recovered.find((one) => one.paths.join('\0') === paths)
      if (known ? known.outcome === 'completed' : await isWritten(project.disk, steps)) arrived.push(steps)
      else left.push(...(known?.left ?? []))
    }
    if (arrived.length === parts.length) {
      await concludeApply(project, started).catch(ignoreConflict)
      continue
    }
    for (const steps of arrived) left.push(...(await takeBack(project, steps)))
    project.run(failApply(started, left))
  }
}

/** The steps of each folder of the project. */
function partsOf(steps: readonly ApplyStep[], roots: readonly VirtualPath[]): readonly (readonly ApplyStep[])[] {
  return Map.groupBy(steps, ({ path }) => roots.find((root) => isWithin(path, root)) ?? rootPath)
    .values()
    .toArray()
}

/** Returns the paths that could not be written back. */
async function takeBack(
  { services, disk }: ApplyingProject,
  steps: readonly ApplyStep[],
): Promise<readonly VirtualPath[]> {
  try {
    await disk.apply(steps.map(invertStep), ({ after }) => readNode(services.blobs, after))
    return []
  } catch (error) {
    if (!(error instanceof DiskApplyError)) throw error
    return error.left.length > 0 ? error.left : steps.map(({ path }) => path)
  }
}

/**
 * Updates the workspace after the folder was written. If the workspace moved on meanwhile, the folder is written back.
 */
async function concludeApply(project: ApplyingProject, started: StartedApply): Promise<Sequence> {
  try {
    return sequenceOf(project.run(finishApply(project.services, started)))
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    await writeFolder(project, started, started.steps.map(invertStep))
    project.run(failApply(started, []))
    throw error
  }
}

async function writeFolder(
  { services, disk, run }: ApplyingProject,
  started: StartedApply,
  steps: readonly ApplyStep[],
  watch: ApplyWatch = {},
): Promise<void> {
  try {
    await disk.apply(steps, ({ after }) => readNode(services.blobs, after), watch)
  } catch (error) {
    run(failApply(started, error instanceof DiskApplyError ? error.left : []))
    throw error
  }
}

/**
 * True when the apply reached the disk. Without a record it was written entirely or not at all, so one written path
 * proves it: a person may have changed others since.
 */
async function isWritten(disk: DiskApply, steps: readonly ApplyStep[]): Promise<boolean> {
  const changed = steps.filter(({ before, after }) => !sameNode(before, after))
  const found = await disk.check(changed.map((step) => ({ ...step, before: step.after })))
  return found.some(({ state }) => state === 'ready')
}

function sequenceOf({ sequence }: Stored<unknown>): Sequence {
  if (sequence === null) throw new Error('An apply stored no entry.')
  return sequence
}

/** The folder was written back and that is stored, so opening has nothing left to do. Throws any other error. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof CommandError)) throw error
}
