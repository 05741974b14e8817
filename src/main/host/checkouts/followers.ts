import type { Tree } from '#overlay'
import type { CheckoutRecord } from '#shared/model/branch.ts'
import { requireThere } from './checkout-place.ts'
import { type Following, followBranch } from './follow-branch.ts'
import { filesIn } from './make-checkout.ts'
import { type CheckoutSources, type OpenCheckout, openCheckout } from './open-checkout.ts'

interface Followed extends OpenCheckout {
  readonly record: CheckoutRecord
  readonly following: Following
}

/** The checkouts that follow their branches at this moment. */
export interface Followers {
  /** `made` is the tree that a new folder shows; absent for a folder in which somebody worked before. */
  follow(record: CheckoutRecord, made?: Tree): Promise<void>
  get(id: string): Followed | undefined
  all(): readonly Followed[]
  /** Opens the folder of any checkout. Throws a refusal when it is gone. */
  open(record: CheckoutRecord): OpenCheckout
  /** What was saved until now is in the branch when it resolves, and nothing follows any more. */
  stop(id: string): Promise<void>
}

export function createFollowers(sources: CheckoutSources): Followers {
  const followed = new Map<string, Followed>()
  const open = (record: CheckoutRecord): OpenCheckout => {
    const known = followed.get(record.id)
    if (known) return known
    const folder = requireThere(record.folder)
    const prefix = record.kind === 'worktree' ? sources.gitDelivery.find('').prefix : ''
    return openCheckout(sources, record.branchId, record, filesIn({ ...record, folder }, prefix))
  }
  return {
    open,
    get: (id) => followed.get(id),
    all: () => [...followed.values()],
    async follow(record, made) {
      if (followed.has(record.id)) return
      const one = open(record)
      if (made) one.checkout.begin(made)
      const { branchId, folder } = record
      const { events, watchMode: mode, report } = sources
      const following = await followBranch({ checkout: one.checkout, branchId, folder, mode, events, report })
      followed.set(record.id, { ...one, record, following })
      // What was saved while nobody looked, and what came to the branch meanwhile. Nobody knows a new folder yet.
      if (!made) await following.settle()
    },
    async stop(id) {
      await followed.get(id)?.following[Symbol.asyncDispose]()
      followed.delete(id)
    },
  }
}
