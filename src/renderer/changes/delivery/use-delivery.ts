import { useState } from 'react'
import type { DeliveryPlans, DeliveryReceipt } from '#shared/contract/views/deliveries.ts'
import type { CommitUnit } from '#shared/model/delivery.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type Refusal, refusalOf } from '../../state/connection/refusal.ts'
import { type Command, useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { deliveryStrings } from '../../strings/later/delivery.ts'
import { toastNote } from '../../ui/controls/toast.ts'
import { useDebounced } from '../../ui/react/observers.ts'
import { type Hooks, useHooks } from './use-hooks.ts'
import { type Proposal, type TypedMessages, useProposal } from './use-proposal.ts'
import { type Publishing, usePublishing } from './use-publishing.ts'

/** What a person chose about a delivery. */
export interface DeliveryChoice {
  readonly to: string
  readonly per: CommitUnit
  readonly uncommitted: 'include' | 'leave'
  readonly keep: readonly { readonly path: VirtualPath; readonly side: 'ours' | 'theirs' }[]
}

export interface Deliver extends Publishing {
  readonly choice: DeliveryChoice
  readonly choose: (changed: Partial<DeliveryChoice>) => void
  /** Null while the repository is being looked at. */
  readonly plans: DeliveryPlans | null
  readonly refusal: Refusal | null
  /** The messages of the commits, in order, as they are shown. */
  readonly messages: readonly string[]
  readonly rewrite: (at: number, message: string) => void
  readonly proposal: Proposal
  /** What was made. Empty before. */
  readonly receipts: readonly DeliveryReceipt[]
  /** The command that makes the commits, pushes them or takes them back. */
  readonly making: Command
  make(): Promise<void>
  readonly hooks: Hooks
  /**
   * Takes what the hooks changed, or leaves it, and delivers when they let it pass.
   */
  decideHooks(takes: boolean): Promise<void>
  makeFromAgents(commit: string): Promise<void>
  /** Resolves with true if all of it was taken back. */
  undo(): Promise<boolean>
  reload(): void
}

/** Milliseconds without a key before the typed name is looked up. */
const typingRest = 250

/** The state of a delivery: its plan, what a person decides, the commits, and what becomes of them. */
export function useDelivery(branchId: BranchId, name: string): Deliver {
  const { deliveries } = useClient()
  const target = { projectId: useProjectId(), branchId }
  const [choice, setChoice] = useState<DeliveryChoice>({ to: name, per: 'all', uncommitted: 'leave', keep: [] })
  const [typed, setTyped] = useState<TypedMessages>(new Map())
  const [receipts, setReceipts] = useState<readonly DeliveryReceipt[]>([])
  const making = useCommand()
  const publishing = usePublishing(target, receipts, making)
  const to = useDebounced(choice.to.trim(), typingRest)
  const wanted = { ...target, ...choice, to, keep: [...choice.keep], base: null }
  const [plan, reload] = useQuery('deliveries.plan', to === '' || receipts.length > 0 ? null : wanted)
  const plans = plan.value ?? null
  const proposal = useProposal((signal) => deliveries.propose(wanted, { signal }), [typed, setTyped])
  const longest = (plans?.plans ?? []).map(({ commits }) => commits).sort((a, b) => b.length - a.length)[0] ?? []
  const messages: string[] = longest.map(({ message }, at) => typed.get(at) ?? message)

  const hooks = useHooks((signal) => deliveries.runHooks({ ...wanted, messages }, { signal }))
  const expected = (plans?.plans ?? []).map(({ repository, tip }) => ({ repository, tip }))
  const makeAll = (run: string | null): Promise<unknown> =>
    makeBy(() => deliveries.make({ ...wanted, messages, sign: null, expected, hooks: run }))
  const takeHooks = (run: string): Promise<boolean> =>
    making.run(async () => {
      const { left } = await deliveries.takeHooks({ ...target, run })
      if (left.length > 0) toastNote(deliveryStrings.hooksLeft(left.length))
    })
  const makeBy = (make: () => Promise<readonly DeliveryReceipt[]>) =>
    making.run(async () => {
      try {
        setReceipts(await make())
      } catch (error) {
        if (refusalOf(error).code === 'CONFLICT') reload()
        throw error
      }
    })
  return {
    choice,
    choose(changed) {
      setChoice((before) => ({ ...before, ...changed }))
      proposal.stop?.()
      hooks.forget()
      if (changed.per === undefined) return
      proposal.forget()
      setTyped(new Map())
    },
    plans: to === choice.to.trim() ? plans : null,
    refusal: plan.state === 'failed' ? plan.refusal : null,
    messages,
    proposal,
    rewrite(at, message) {
      setTyped((before) => new Map([...before, [at, message]]))
      hooks.forget()
    },
    ...publishing,
    ...{ receipts, making, hooks },
    async make() {
      const run = hooks.isOn ? await hooks.start() : null
      if (!hooks.isOn) await makeAll(null)
      else if (run && run.problem === null && run.files.length === 0) await makeAll(run.id)
    },
    async decideHooks(takes) {
      const { run } = hooks
      if (run === null) return
      if (takes && !(await takeHooks(run.id))) return
      if (run.problem === null) {
        await makeAll(run.id)
        return
      }
      hooks.forget()
      reload()
    },
    async makeFromAgents(commit) {
      await makeBy(async () => [await deliveries.makeFromAgents({ ...target, to, commit })])
    },
    undo: () =>
      making.run(async () => {
        for (const { sequence } of receipts.toReversed()) await deliveries.undo({ ...target, sequence })
      }),
    reload,
  }
}

/** A name for a branch of git, from the title of a thread. */
export function branchNameOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  let name = ''
  for (const word of words) {
    if (name.length + word.length > longestName) break
    name += name === '' ? word : `-${word}`
  }
  return name === '' ? 'coppice-work' : name
}

const longestName = 40
