import { useEffect, useState } from 'react'
import type { ApplyReceipt, ApplyTarget } from '#shared/contract/views.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Refusal } from '../state/connection/refusal.ts'
import { type Command, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { type ChangeActions, useChangeActions } from './use-change-actions.ts'

/** Where a person is on the way to the disk. */
type ApplyStep =
  | { readonly kind: 'choose' }
  | { readonly kind: 'decide'; readonly path: VirtualPath }
  | { readonly kind: 'done'; readonly receipt: ApplyReceipt }

export interface Apply {
  readonly step: ApplyStep
  /** Null while the disk is compared. */
  readonly targets: readonly ApplyTarget[] | null
  readonly planRefusal: Refusal | null
  readonly chosen: ReadonlySet<VirtualPath>
  /** What writes to the disk. */
  readonly writing: Command
  /** What settles one file before. */
  readonly settling: ChangeActions
  choose(chosen: ReadonlySet<VirtualPath>): void
  decide(path: VirtualPath): void
  join(path: VirtualPath): Promise<void>
  takeDisk(path: VirtualPath): Promise<void>
  /** Back to the list, which is made anew. */
  toList(): void
  write(): Promise<void>
  cancel(): Promise<void>
  /** Whether it was taken back. */
  undo(receipt: ApplyReceipt): Promise<boolean>
}

const chooseStep: ApplyStep = { kind: 'choose' }

/** A list checked against the disk, the decisions it asks for, the writing, and the way back. */
export function useApply(branchId: BranchId, initial: readonly VirtualPath[] | null): Apply {
  const { changes } = useClient()
  const target = { projectId: useProjectId(), branchId }
  const writing = useCommand()
  const settling = useChangeActions(branchId)
  const [step, setStep] = useState(chooseStep)
  const [plan, reload] = useQuery('changes.planApply', { ...target, paths: null })
  const targets = plan.value?.files ?? null
  const [chosen, choose] = useChoices(targets, initial)

  const decide = (path: VirtualPath): void => setStep({ kind: 'decide', path })
  return {
    step,
    targets,
    planRefusal: plan.state === 'failed' ? plan.refusal : null,
    chosen,
    writing,
    settling,
    choose,
    decide,
    join: async (path) => void ((await settling.join(path, () => decide(path))) && reload()),
    takeDisk: async (path) => void ((await settling.takeDisk(path)) && reload()),
    toList() {
      setStep(chooseStep)
      reload()
    },
    async write() {
      const paths = chosen.size === targets?.length ? null : [...chosen]
      await writing.run(async () => setStep({ kind: 'done', receipt: await changes.apply({ ...target, paths }) }))
    },
    // The apply under way says itself how it ended.
    cancel: () => changes.cancelApply(target).catch(() => undefined),
    undo: ({ sequence }) => writing.run(() => changes.undoApply({ ...target, sequence })),
  }
}

/** What can be written is checked until somebody says otherwise, also after a file was joined. */
function useChoices(targets: Apply['targets'], initial: readonly VirtualPath[] | null) {
  const [chosen, setChosen] = useState<ReadonlySet<VirtualPath>>(new Set())
  useEffect(() => {
    const ready = (targets ?? []).filter(({ state }) => state === 'ready').map(({ path }) => path)
    setChosen(new Set(ready.filter((path) => initial === null || initial.includes(path))))
  }, [targets, initial])
  return [chosen, setChosen] as const
}
