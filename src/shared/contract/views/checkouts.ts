import type { Checkout, CheckoutRecord } from '../../model/branch.ts'
import type { VirtualPath } from '../../model/virtual-path.ts'

/** A checkout that was made. */
export interface MadeCheckout extends Omit<Checkout, 'id' | 'tree'> {
  readonly checkoutId: string
  /** What the folder cannot have, with the reason: "it is …". */
  readonly leftOut: readonly { readonly path: VirtualPath; readonly why: string }[]
}

export interface CheckoutView extends CheckoutRecord {
  /** False when somebody removed or moved the folder. */
  readonly isThere: boolean
  /** Files that the folder and the branch changed at the same place, as far as that is known. */
  readonly conflicts: readonly VirtualPath[]
}
