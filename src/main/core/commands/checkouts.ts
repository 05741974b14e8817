import { type Patch, treeHash } from '#overlay'
import type { Checkout, CheckoutRecord } from '#shared/model/branch.ts'
import type { BranchId, MessageId } from '#shared/model/ids.ts'
import { noticeIn } from '#shared/model/messages/notice.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { steerNoticeEntry } from '../journal/notices.ts'
import { readBranch, readThread } from '../journal/read-thread.ts'
import { changeBranch, findHead } from './changes.ts'
import { type CommandProject, type Decided, refuse, write } from './command.ts'

/** A folder stands for the branch, as it is now, from now on. */
export function makeCheckout(project: CommandProject, branchId: BranchId, checkout: Omit<Checkout, 'tree'>): Decided {
  const head = findHead(project, branchId)
  const branch = readBranch(project.log, branchId)
  if (!head.ok || !branch) return refuse('not_found', 'This branch does not exist in this project.')
  const tree = treeHash(head.value, project.hashing)
  return write([{ type: 'checkout.made', threadId: branch.threadId, branchId, checkout: { ...checkout, tree } }])
}

/**
 * What a person changed in a checkout becomes their own change of the branch. Its agent is told of the files that it had read,
 * in one notice, as long as it has not seen the last one.
 */
export function takeChanges(project: CommandProject, branchId: BranchId, patch: Patch): Decided {
  const changed = changeBranch(project, branchId, patch)
  const branch = readBranch(project.log, branchId)
  const thread = branch && readThread(project.log, branch.threadId)
  if (!changed.ok || !thread) return changed
  const known = patch.flatMap(([path]) => (thread.contentHashes.has(path) ? [path] : []))
  if (known.length === 0) return changed
  const { entries, movedOn } = changed.value
  return write([...entries, toldOf(project, thread, known)], movedOn)
}

function toldOf({ ids }: CommandProject, { id: threadId, queue }: ThreadState, known: readonly VirtualPath[]) {
  const unread = queue.find((queued) => noticeIn(queued)?.kind === 'files')
  const notice = unread ? noticeIn(unread) : null
  const paths = [...new Set([...(notice?.kind === 'files' ? notice.paths : []), ...known])].sort()
  return {
    ...steerNoticeEntry(ids.next() as MessageId, wordsFor(paths), { kind: 'files', paths }),
    ...{ threadId, ...(unread && { replaces: unread.messageId }) },
  }
}

const namedAtMost = 50

function wordsFor(paths: readonly VirtualPath[]): string {
  const left = paths.length - namedAtMost
  return [
    'The user changed files of your branch that you had read or changed:',
    ...paths.slice(0, namedAtMost).map((path) => `- ${shownName(path)}`),
    ...(left > 0 ? [`- and ${left} more`] : []),
    'Their version counts. Read such a file again before you edit it.',
  ].join('\n')
}

export function endCheckout(
  { log }: Pick<CommandProject, 'log'>,
  { branchId, id: checkoutId }: CheckoutRecord,
): Decided {
  const branch = readBranch(log, branchId)
  if (!branch) return refuse('not_found', 'This branch does not exist in this project.')
  return write([{ type: 'checkout.ended', threadId: branch.threadId, branchId, checkoutId }])
}
