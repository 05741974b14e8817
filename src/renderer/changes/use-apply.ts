import { useMemo, useState } from 'react'
import type { ApplyReceipt, ApplyTarget } from '#shared/contract/views/branches.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type Refusal, refusalOf } from '../state/connection/refusal.ts'
import { type Command, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { type ChangeActions, useChangeActions } from './use-change-actions.ts'

/** The steps of an apply. */
type ApplyStep =
  | { readonly kind: 'choose' }
  | { readonly kind: 'decide'; readonly path: VirtualPath }
  | { readonly kind: 'done'; readonly receipt: ApplyReceipt }

export interface Apply {
  readonly step: ApplyStep
  /** Null while the disk is being compared. */
  readonly targets: readonly ApplyTarget[] | null
  readonly planRefusal: Refusal | null
  readonly chosen: ReadonlySet<VirtualPath>
  /** What is written or deleted together with the chosen files, each once. */
  readonly along: readonly { readonly path: VirtualPath; readonly identity: string }[]
  /** The command that writes to the disk, or undoes the write. */
  readonly writing: Command
  /** The commands that resolve one file before the apply. */
  readonly settling: ChangeActions
  choose(chosen: ReadonlySet<VirtualPath>): void
  decide(path: VirtualPath): void
  join(path: VirtualPath): Promise<void>
  keepOurs(path: VirtualPath): Promise<void>
  takeDisk(path: VirtualPath): Promise<void>
  /** Returns to the list and compares with the disk again. */
  toList(): void
  write(): Promise<void>
  cancel(): Promise<void>
  /** Resolves with true if it was undone. */
  undo(receipt: ApplyReceipt): Promise<boolean>
}

const chooseStep: ApplyStep = { kind: 'choose' }

/** The state of an apply: the list compared with the disk, its decisions, the writing, and the undo. */
export function useApply(branchId: BranchId, initial: readonly VirtualPath[] | null): Apply {
  const { changes } = useClient()
  const target = { projectId: useProjectId(), branchId }
  const writing = useCommand()
  const settling = useChangeActions(branchId)
  const [step, setStep] = useState(chooseStep)
  const [plan, reload] = useQuery('changes.planApply', { ...target, paths: null })
  const targets = plan.value?.files ?? null
  const [chosen, choose] = useChoices(targets, initial)
  const along = useMemo(() => alongWith(targets ?? [], chosen), [targets, chosen])

  const decide = (path: VirtualPath): void => setStep({ kind: 'decide', path })
  return {
    step,
    targets,
    planRefusal: plan.state === 'failed' ? plan.refusal : null,
    chosen,
    along,
    writing,
    settling,
    choose,
    decide,
    join: async (path) => void ((await settling.join(path, () => decide(path))) && reload()),
    keepOurs: async (path) => void ((await settling.keepOurs(path)) && reload()),
    takeDisk: async (path) => void ((await settling.takeDisk(path)) && reload()),
    toList() {
      setStep(chooseStep)
      reload()
    },
    async write() {
      const expected = (targets ?? []).flatMap(({ path, identity }) => (chosen.has(path) ? [{ path, identity }] : []))
      const paths = expected.map(({ path }) => path)
      await writing.run(async () => {
        try {
          setStep({ kind: 'done', receipt: await changes.apply({ ...target, paths, expected, along }) })
        } catch (error) {
          if (refusalOf(error).code === 'CONFLICT') reload()
          throw error
        }
      })
    },
    // A failure does not matter, because the apply itself reports how it ended.
    cancel: () => changes.cancelApply(target).catch(() => undefined),
    undo: ({ sequence }) => writing.run(() => changes.undoApply({ ...target, sequence })),
  }
}

function alongWith(targets: readonly ApplyTarget[], chosen: ReadonlySet<VirtualPath>) {
  const found = new Map(
    targets
      .filter(({ path }) => chosen.has(path))
      .flatMap(({ companions = [] }) => companions.map(({ path, identity }) => [path, { path, identity }] as const)),
  )
  return [...found.values()].filter(({ path }) => !chosen.has(path))
}

/** All files that can be written are checked at first. What the person checks or unchecks stays so in later lists. */
function useChoices(targets: Apply['targets'], initial: readonly VirtualPath[] | null) {
  const [decided, setDecided] = useState<ReadonlyMap<VirtualPath, boolean>>(new Map())
  const ready = useMemo(
    () => (targets ?? []).filter(({ state }) => state === 'ready').map(({ path }) => path),
    [targets],
  )
  const chosen = useMemo(() => {
    const first = initial && new Set(initial)
    return new Set(ready.filter((path) => decided.get(path) ?? first?.has(path) ?? true))
  }, [ready, decided, initial])
  function choose(next: ReadonlySet<VirtualPath>): void {
    const changed = ready.filter((path) => next.has(path) !== chosen.has(path))
    setDecided(new Map([...decided, ...changed.map((path) => [path, next.has(path)] as const)]))
  }
  return [chosen, choose] as const
}
