import { treeHash } from '#overlay'
import type { Checkout, CheckoutRecord } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { readBranch } from '../journal/read-thread.ts'
import { findHead } from './changes.ts'
import { type CommandProject, type Decided, refuse, write } from './command.ts'

/** A folder stands for the branch, as it is now, from now on. */
export function makeCheckout(project: CommandProject, branchId: BranchId, checkout: Omit<Checkout, 'tree'>): Decided {
  const head = findHead(project, branchId)
  const branch = readBranch(project.log, branchId)
  if (!head.ok || !branch) return refuse('not_found', 'This branch does not exist in this project.')
  const tree = treeHash(head.value, project.hashing)
  return write([{ type: 'checkout.made', threadId: branch.threadId, branchId, checkout: { ...checkout, tree } }])
}

export function endCheckout(
  { log }: Pick<CommandProject, 'log'>,
  { branchId, id: checkoutId }: CheckoutRecord,
): Decided {
  const branch = readBranch(log, branchId)
  if (!branch) return refuse('not_found', 'This branch does not exist in this project.')
  return write([{ type: 'checkout.ended', threadId: branch.threadId, branchId, checkoutId }])
}
