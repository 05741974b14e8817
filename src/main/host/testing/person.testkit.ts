import type { DriftChoice } from '#core/branches/settle-drift.ts'
import { settleDrift as planSettle } from '#core/commands/changes.ts'
import { unwrap } from '#core/commands/command.ts'
import { restoreMemory as planRestore } from '#core/commands/memory.ts'
import { type Checkpoint, forkThread as planFork, redoOf } from '#core/commands/rewind.ts'
import { undoEntry as planUndo } from '#core/commands/undo.ts'
import type { RewindScope } from '#core/journal/rewind.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import type { Project } from '../project/project.ts'
import { haltAndRewind, editMessage as sendEdited } from '../threads/rewind-flow.ts'

/** A person's actions on an open project. Each call decides the command and stores it. */

export async function rewindTo(project: Project, checkpoint: Checkpoint & RewindScope): Promise<Sequence> {
  return (await haltAndRewind(project, { ...checkpoint, undoes: null })).sequence
}

export async function redoRewind(project: Project, threadId: ThreadId, sequence: Sequence): Promise<Sequence> {
  return (await haltAndRewind(project, unwrap(redoOf(project.services.log, threadId, sequence)))).sequence
}

export async function editMessage(...given: Parameters<typeof sendEdited>): Promise<Sequence> {
  return (await sendEdited(...given)).sequence
}

export function forkThread(project: Project, checkpoint: Checkpoint, title: string): ThreadId {
  return project.run(planFork(project.services, checkpoint, title)).answer
}

export function restoreMemory(project: Project, change: Parameters<typeof planRestore>[1]) {
  return project.run(planRestore(project.services, change))
}

export function undoEntry(project: Project, sequence: Sequence): void {
  project.run(planUndo(project.services, sequence))
}

export async function settleDrift(project: Project, branchId: BranchId, ...choices: readonly DriftChoice[]) {
  return project.change(await planSettle(project.services, { branchId, choices }))
}
