import type { BisectView, BrokenStep } from '#shared/contract/checks.ts'
import type { BranchId } from '#shared/model/ids.ts'
import {
  type Command,
  useApp,
  useAppSlowly,
  useClient,
  useCommand,
  useProjectId,
  useUpdateUi,
} from '../../../state/hooks/hooks.tsx'
import { useQuery } from '../../../state/hooks/use-query.ts'
import { showThread } from '../../../state/store/ui-state.ts'
import { bisectStrings as labels } from '../../../strings/later/bisect.ts'
import { toastNote } from '../../../ui/controls/toast.ts'
import { useOfferUndo } from '../../use-offer-undo.ts'

interface BisectActions {
  /** The search of the branch, about whichever check. Null for none. */
  readonly view: BisectView | null
  readonly command: Command
  /** False for a branch of a subagent, whose thread cannot be forked. */
  readonly canFork: boolean
  start(check: string, isFlaky: boolean): void
  cancel(): void
  undo(step: BrokenStep): void
  fork(step: BrokenStep): void
  /** Sends the agent of the branch what broke the check, with this diff. */
  tell(check: string, step: BrokenStep, diff: string): void
}

/** The search for the step that broke a check of a branch, and what a person can do about what it found. */
export function useBisect(branchId: BranchId): BisectActions {
  const client = useClient()
  const projectId = useProjectId()
  const target = { projectId, branchId }
  const command = useCommand()
  const offerUndo = useOfferUndo()
  const updateUi = useUpdateUi()
  const version = useAppSlowly(({ live }) => live.checks.get(branchId) ?? 0)
  const [{ value }, reload] = useQuery('checks.bisectOf', target, version)
  const thread = useApp(({ project }) => {
    const branch = project.branches.get(branchId)
    return branch && project.threads.get(branch.threadId)
  })
  const then = (work: () => Promise<unknown>) => void command.run(async () => void (await work()))
  return {
    view: value,
    command,
    canFork: thread !== undefined && !thread.parent,
    start: (check, isFlaky) =>
      then(async () => {
        await client.checks.bisect({ ...target, check, isFlaky })
        reload()
      }),
    cancel: () => then(() => client.checks.cancelBisect(target)),
    undo: ({ sequence }) =>
      then(async () => {
        const undone = await client.changes.undoStep({ ...target, sequence })
        offerUndo(labels.undone, undone.sequence)
      }),
    fork: ({ checkpoint: to }) =>
      then(async () => {
        if (!thread || to === null) return
        const made = await client.rewind.fork({
          projectId,
          threadId: thread.id,
          to,
          title: labels.forked(thread.title),
        })
        updateUi((ui) => showThread(ui, made.threadId))
      }),
    tell: (check, step, diff) =>
      then(async () => {
        if (!thread) return
        const text = labels.message(check, stepName(step), diff)
        await client.threads.send({ projectId, threadId: thread.id, text, delivery: 'steer' })
        toastNote(labels.told(thread.agent))
      }),
  }
}

/** What made a step: the tool of the call, or how else it was made. */
export function stepName({ tool, how }: BrokenStep): string {
  return tool ?? labels.how[how]
}
