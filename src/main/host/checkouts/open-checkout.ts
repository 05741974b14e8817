import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openCheckoutFolder } from '#adapters/checkouts/checkout-folder.ts'
import type { WatchMode } from '#adapters/watch/watch-mode.ts'
import type { HostServices } from '#core/agent/types/services.ts'
import { createCheckout, type LiveCheckout } from '#core/checkouts/checkout.ts'
import { findHead } from '#core/commands/changes.ts'
import { takeChanges } from '#core/commands/checkouts.ts'
import { CommandError, type Decided, unwrap } from '#core/commands/command.ts'
import { readBranch } from '#core/journal/read-thread.ts'
import type { GitDelivery } from '#core/ports/git-delivery.ts'
import type { CheckoutFolder } from '#core/ports/stores/checkout-folder.ts'
import type { Patch, Tree } from '#overlay'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { Checkout } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { EventHub } from '../events/event-hub.ts'

/** What checkouts need of an open project. */
export interface CheckoutSources {
  readonly services: HostServices
  /** Stores a command's decision, or throws its refusal. */
  readonly run: (decided: Decided) => unknown
  /** Absolute, with links resolved. Null for a scratch workspace. */
  readonly rootFolder: string | null
  /** The folders of the project beside the first one. */
  readonly otherFolders: readonly VirtualPath[]
  readonly gitDelivery: Pick<GitDelivery, 'find'>
  readonly events: Pick<EventHub, 'listen'>
  /** Where the app keeps what it knows of them. */
  readonly ownFolder: string
  readonly watchMode: WatchMode
  readonly report: (problem: string, error: unknown) => void
}

/** A checkout whose folder is open. */
export interface OpenCheckout {
  readonly folder: CheckoutFolder
  readonly checkout: LiveCheckout
}

/** Where the app keeps its own files of a checkout. */
export function placesOf({ ownFolder }: Pick<CheckoutSources, 'ownFolder'>, id: string) {
  const own = join(ownFolder, id)
  return {
    own,
    branch: join(own, 'branch'),
    making: join(own, 'making'),
    known: join(own, 'known'),
    aside: join(own, 'aside'),
  }
}

/**
 * `place` is where its files are: its folder, or the part of a repository in it. `isLive` for one that follows its branch. A worktree
 * is of one repository: other folders of the project have none of their files in it.
 */
export function openCheckout(
  sources: CheckoutSources,
  branchId: BranchId,
  { id, kind, isLive = kind === 'editor' }: Pick<Checkout, 'id' | 'kind'> & { readonly isLive?: boolean },
  place: string,
): OpenCheckout {
  const { own, known, aside } = placesOf(sources, id)
  mkdirSync(isLive ? aside : own, { recursive: true, mode: 0o700 })
  const folder = openCheckoutFolder({ folder: place, stateFile: known, aside: isLive ? aside : null })
  const checkout = createCheckout({
    sources: sources.services,
    folder,
    head: () => headOf(sources, branchId),
    ...(kind === 'worktree' && { without: sources.otherFolders }),
    commit: (patch) => commit(sources, branchId, patch),
  })
  return { folder, checkout }
}

/** The branch as it is. Throws a refusal for one that is gone. */
export function headOf({ services }: Pick<CheckoutSources, 'services'>, branchId: BranchId): Tree {
  const head = unwrap(findHead(services, branchId))
  if (readBranch(services.log, branchId)?.status === 'discarded')
    throw new WireError('REFUSED', 'The branch was discarded. Bring it back with "coppice undo", then try again.')
  return head
}

/** False when the branch has moved on. */
function commit({ services, run }: CheckoutSources, branchId: BranchId, patch: Patch): boolean {
  try {
    run(takeChanges(services, branchId, patch))
    return true
  } catch (error) {
    if (error instanceof CommandError && error.code === 'conflict') return false
    throw error
  }
}
