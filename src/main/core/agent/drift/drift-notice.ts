import { assertNever } from '#shared/base/assert-never.ts'
import type { Drift } from '#shared/model/drift.ts'
import type { MessageId } from '#shared/model/ids.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { noticeEntry } from '../../journal/notices.ts'
import type { LoopSteps } from '../calls/call-context.ts'
import type { LoopContext } from '../types/loop-context.ts'

const namedAtMost = 50

/**
 * Tells the agent, once for each change, which of its files changed on disk. The text is stored with what it announces.
 */
export async function* injectDriftNotice(context: LoopContext): LoopSteps {
  const files = (await context.others.drift()).filter(
    ({ path, disk }) => context.thread().diskNotes.get(path)?.announced !== disk,
  )
  if (files.length === 0) return
  yield [{ type: 'drift.told', files }, noticeEntry(context.nextId() as MessageId, driftNotice(files))]
}

function driftNotice(files: readonly Drift[]): string {
  const named = files.slice(0, namedAtMost).map((file) => `- ${shownName(file.path)} ${describeDrift(file)}`)
  const left = files.length - named.length
  return [
    'Somebody else changed files on disk that you had read or changed:',
    ...named,
    ...(left > 0 ? [`- and ${left} more`] : []),
    'Read such a file again before you edit it.',
  ].join('\n')
}

/** Says how the file changed, and which version stays when the branch changed it too. */
function describeDrift({ kind, since }: Drift): string {
  const seen = since === 'changed' ? '; the branch keeps your version, and the user joins both when it is applied' : ''
  return `${whatHappened(kind)}${seen}`
}

function whatHappened(kind: Drift['kind']): string {
  switch (kind) {
    case 'changed':
      return 'was changed'
    case 'appeared':
      return 'was created on disk too'
    case 'deleted':
      return 'was deleted'
    case 'folder':
      return 'is a folder now'
    case 'link':
      return 'is a link now'
    case 'special':
      return 'is no regular file now'
    case 'unreadable':
      return 'cannot be read now'
    default:
      return assertNever(kind)
  }
}
