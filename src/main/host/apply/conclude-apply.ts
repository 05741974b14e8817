import type { AgentServices } from '#core/agent/types/services.ts'
import { patchAfterApply, saysWhatWasWritten } from '#core/branches/apply-plan.ts'
import { invertibleOn } from '#core/branches/go-back.ts'
import { readNode } from '#core/overlay/nodes.ts'
import { emptyTree } from '#core/overlay/tree.ts'
import { type ApplyStep, type ApplyWatch, type DiskApply, DiskApplyError } from '#core/ports/disk-apply.ts'
import type { NonEmpty } from '#shared/base/non-empty.ts'
import type { EntryDraft, EntryOf } from '#shared/model/entry.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { invert } from '#shared/model/patch.ts'

/** A change of the folder on its way: an apply, or one that is taken back. */
export interface StartedApply {
  readonly sequence: Sequence
  readonly threadId: ThreadId
  readonly branchId: BranchId
  readonly steps: readonly ApplyStep[]
  readonly undoes?: Sequence
}

/** Stores the intent, writes the folder, stores the result. Null when the workspace moved on meanwhile: all is as it was. */
export async function carryOutApply(
  services: AgentServices,
  disk: DiskApply,
  apply: Omit<StartedApply, 'sequence'>,
  watch: ApplyWatch = {},
): Promise<Sequence | null> {
  const { steps, ...rest } = apply
  const recorded = steps.map(({ path, before, after }) => [path, before, after] as const)
  const paths = steps.map(({ path }) => path)
  const [{ sequence }] = services.log.append([{ type: 'apply.started', ...rest, paths, steps: recorded }])
  const started = { ...apply, sequence }
  await write(services, disk, started, steps, watch)
  return concludeApply(services, disk, started)
}

/** The folder holds what was to be written: the workspace follows, or, when it says something else by now, the folder goes back. */
export async function concludeApply(
  services: AgentServices,
  disk: DiskApply,
  started: StartedApply,
): Promise<Sequence | null> {
  const conclusion = conclusionOf(services, started)
  if (conclusion) return services.log.append([conclusion])[0].sequence
  await write(services, disk, started, started.steps.map(inverse))
  noteFailure(services, started, [])
  return null
}

/** What was started is over and did nothing. */
export function noteFailure(
  { log }: AgentServices,
  { sequence: of, threadId, branchId }: Omit<StartedApply, 'steps'>,
  left: readonly string[],
): void {
  log.append([{ type: 'apply.failed', threadId, branchId, of, left }])
}

export function inverse({ path, before, after }: ApplyStep): ApplyStep {
  return { path, before: after, after: before }
}

async function write(
  services: AgentServices,
  disk: DiskApply,
  started: StartedApply,
  steps: readonly ApplyStep[],
  watch: ApplyWatch = {},
): Promise<void> {
  try {
    await disk.apply(steps, ({ after }) => readNode(services.blobs, after), watch)
  } catch (error) {
    noteFailure(services, started, error instanceof DiskApplyError ? error.left : [])
    throw error
  }
}

function conclusionOf({ log }: AgentServices, started: StartedApply): NonEmpty<EntryDraft>[0] | undefined {
  const { threadId, branchId, steps, undoes } = started
  const tree = log.trees.heads.get(branchId) ?? emptyTree
  if (undoes === undefined) {
    if (!saysWhatWasWritten(tree, steps)) return undefined
    const paths = steps.map(({ path }) => path)
    return { type: 'apply.finished', threadId, branchId, paths, patch: patchAfterApply(tree, steps) }
  }
  const undone = log.entryAt(undoes) as EntryOf<'apply.finished'> | undefined
  if (!undone || !invertibleOn(tree, undone.patch)) return undefined
  return { type: 'apply.undone', threadId, branchId, of: undoes, patch: invert(undone.patch) }
}
