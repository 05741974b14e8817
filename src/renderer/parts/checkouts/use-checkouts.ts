import { useEffect, useState } from 'react'
import type { CheckoutView } from '#shared/contract/views/checkouts.ts'
import type { TakenBack } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { refusalOf } from '../../state/connection/refusal.ts'
import { type Command, useApp, useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { checkoutStrings as labels } from '../../strings/later/checkouts.ts'
import { toastNote, toastProblem } from '../../ui/controls/toast.ts'

/** The folders on disk that stand for a branch. They are asked for again when a person comes back to the window. */
export function useCheckouts(branchId: BranchId): readonly CheckoutView[] {
  const projectId = useProjectId()
  const version = useApp((state) => state.timeline.versions.get(branchId) ?? 0)
  const [listed, reload] = useQuery('checkouts.list', { projectId, branchId }, version)
  useEffect(() => {
    window.addEventListener('focus', reload)
    return () => window.removeEventListener('focus', reload)
  }, [reload])
  return (listed.value ?? []).filter((one) => one.branchId === branchId)
}

/** Opens a branch as a folder in the person's editor, which runs on the machine of the host. */
export function useOpenBranch(branchId: BranchId): Command & { readonly open: () => Promise<void> } {
  const { checkouts } = useClient()
  const target = { projectId: useProjectId(), branchId }
  const command = useCommand()
  return {
    ...command,
    open: async () => {
      await command.run(async () => {
        const { checkoutId, folder } = await checkouts.open(target)
        try {
          await checkouts.startEditor({ ...target, checkoutId, editor: null })
          toastNote(labels.opened(folder))
        } catch (error) {
          toastProblem(labels.notOpened, `${refusalOf(error).message} ${folder}`)
        }
      })
    },
  }
}

type Side = 'branch' | 'folder'

export interface CheckoutActions {
  readonly command: Command
  /** What nobody decided yet. */
  readonly conflicts: readonly VirtualPath[]
  readonly choices: ReadonlyMap<VirtualPath, Side>
  choose(path: VirtualPath, side: Side): void
  /** What could not be taken the last time. */
  readonly refused: TakenBack['refused']
  takeBack(): Promise<void>
  close(loses: boolean): Promise<void>
}

/** What a person does with one folder of a branch. */
export function useCheckoutActions(view: CheckoutView): CheckoutActions {
  const { checkouts } = useClient()
  const command = useCommand()
  const [choices, setChoices] = useState<ReadonlyMap<VirtualPath, Side>>(new Map())
  const [last, setLast] = useState<TakenBack | null>(null)
  const target = { projectId: useProjectId(), branchId: view.branchId, checkoutId: view.id }
  const chosen = () => [...choices].map(([path, side]) => ({ path, side }))
  return {
    command,
    choices,
    conflicts: [...new Set([...view.conflicts, ...(last?.conflicts ?? [])])],
    refused: last?.refused ?? [],
    choose: (path, side) => setChoices((before) => new Map([...before, [path, side]])),
    async takeBack() {
      await command.run(async () => {
        const taken = await checkouts.takeBack({ ...target, choices: chosen() })
        setLast(taken)
        if (taken.conflicts.length > 0) return
        setChoices(new Map())
        toastNote(labels.takenBack(taken.changed.length))
      })
    },
    async close(loses) {
      await command.run(async () => {
        await checkouts.close({ ...target, choices: chosen(), loses })
        toastNote(labels.removed(view.folder))
      })
    },
  }
}
