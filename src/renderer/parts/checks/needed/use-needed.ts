import type { NeededView } from '#shared/contract/checks.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { type Command, useAppSlowly, useClient, useCommand, useProjectId } from '../../../state/hooks/hooks.tsx'
import { useQuery } from '../../../state/hooks/use-query.ts'
import { neededStrings as labels } from '../../../strings/composing/needed.ts'
import { useOfferUndo } from '../../use-offer-undo.ts'

interface NeededActions {
  /** The search of the branch, about whichever check. Null for none. */
  readonly view: NeededView | null
  readonly command: Command
  start(check: string): void
  cancel(): void
  /** Takes so many hunks off the branch. */
  remove(count: number): void
}

/** The search for what a check needs of a branch's change, and what a person can do about it. */
export function useNeeded(branchId: BranchId): NeededActions {
  const client = useClient()
  const projectId = useProjectId()
  const target = { projectId, branchId }
  const command = useCommand()
  const offerUndo = useOfferUndo()
  const version = useAppSlowly(
    ({ live, timeline }) => `${live.checks.get(branchId) ?? 0} ${timeline.versions.get(branchId) ?? 0}`,
  )
  const [{ value }, reload] = useQuery('checks.neededOf', target, version)
  const then = (work: () => Promise<unknown>) => void command.run(async () => void (await work()))
  return {
    view: value,
    command,
    start: (check) =>
      then(async () => {
        await client.checks.needed({ ...target, check })
        reload()
      }),
    cancel: () => then(() => client.checks.cancelNeeded(target)),
    remove: (count) =>
      then(async () => {
        const { sequence } = await client.checks.removeUnneeded(target)
        if (sequence !== null) offerUndo(labels.removed(count), sequence)
        reload()
      }),
  }
}
