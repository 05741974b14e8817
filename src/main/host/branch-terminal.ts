import { createDraft } from '#core/overlay/overlay-transaction.ts'
import { viewEntries } from '#core/overlay/view-entries.ts'
import type { BranchView } from '#core/ports/branch-views.ts'
import { takeOver } from '#core/tools/run/branch-view.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { Patch } from '#shared/model/patch.ts'
import { headOf } from './change-branch.ts'
import type { Project } from './project.ts'

/** A view of a branch for a person's shell. It is not the one that commands of agents share. */
export interface BranchTerminal extends AsyncDisposable {
  readonly id: BranchId
  readonly view: BranchView
  /** What was changed since, against the branch as it was when this was opened. Once, after the shell has ended. */
  capture(): Promise<Patch>
}

export async function openBranchTerminal(
  project: Project,
  branchId: BranchId,
  terminalId: string,
  signal: AbortSignal,
): Promise<BranchTerminal> {
  const { views, blobs } = project.services
  const owner = `${branchId} terminal ${terminalId}`
  const tree = headOf(project, branchId)
  const view = await views.open({ owner, overlay: viewEntries(tree, blobs) }, signal)
  return {
    id: branchId,
    view,
    async capture() {
      const draft = createDraft({ ...project.services, tree })
      const { changes } = await view.capture()
      await takeOver(draft, changes)
      return draft.patch()
    },
    async [Symbol.asyncDispose]() {
      await view[Symbol.asyncDispose]()
      await views.remove(owner)
    },
  }
}
