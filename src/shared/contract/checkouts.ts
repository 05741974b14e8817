import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { TakenBack } from '../model/branch.ts'
import { branch, virtualPath } from './primitives.ts'
import type { CheckoutView, MadeCheckout } from './views/checkouts.ts'

const checkout = branch.extend({
  checkoutId: z.string().min(1).max(200),
  /** Whose version of a file counts that both sides changed at the same place. */
  choices: z.array(z.object({ path: virtualPath, side: z.enum(['branch', 'folder']) })).max(100_000),
})

/** Folders on disk that stand for a branch, in which a person works. */
export const checkoutCommands = {
  /** Those of the branch's whole family, that have not ended. */
  list: oc.input(branch).output(type<readonly CheckoutView[]>()),
  /** Makes a worktree of the person's repository, or a plain copy where there is none, at a missing or empty folder. */
  make: oc
    .input(branch.extend({ folder: z.string().min(1).max(4096), gitBranch: z.string().min(1).max(250).nullable() }))
    .output(type<MadeCheckout>()),
  /** Opens the branch as a folder of the app that follows it, or returns the one that is open. */
  open: oc.input(branch).output(type<MadeCheckout>()),
  /** Starts the person's editor with the folder. `editor` is a name, or null for the one of the settings. */
  startEditor: oc
    .input(branch.extend({ checkoutId: z.string().min(1).max(200), editor: z.string().min(1).max(4096).nullable() }))
    .output(type<void>()),
  /**
   * Makes what was changed in the folder a change of the branch: all of it, or nothing while something is in conflict. Of a folder
   * for an editor, what is in conflict stays there.
   */
  takeBack: oc.input(checkout).output(type<TakenBack>()),
  /**
   * Takes back, removes the folder and ends the checkout. Refused as `CONFLICT` when something would be lost with it, unless
   * `loses` says that it may. A folder that is gone already only ends.
   */
  close: oc.input(checkout.extend({ loses: z.boolean() })).output(type<TakenBack>()),
}
