import type { MessageId } from '#shared/model/ids.ts'
import type { Notice } from '#shared/model/message.ts'
import { noticeIn } from '#shared/model/messages/notice.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { noticeEntry } from '../../journal/notices.ts'
import type { LoopSteps } from '../calls/call-context.ts'
import type { LoopContext } from '../types/loop-context.ts'
import type { BranchOverlap } from './overlap-watch.ts'

const namedAtMost = 20

type Told = Extract<Notice, { kind: 'overlap' }>['files']

/**
 * Tells the agent, once for each, in which files its change does not join with that of another agent, and when that is over.
 * The message itself keeps what the agent knows, so it is neither told twice nor forgotten by a restart or a rewind.
 */
export async function* injectOverlapNotice(context: LoopContext): LoopSteps {
  const found = await context.others.overlaps()
  const told = lastTold(context.thread())
  const isSame = (one: Told[number]) => (two: Told[number]) => one.branchId === two.branchId && one.path === two.path
  const fresh = found.filter((one) => !told.some(isSame(one)))
  const over = told.filter((one) => !found.some(isSame(one)))
  if (fresh.length === 0 && over.length === 0) return
  const files = found.map(({ branchId, path }) => ({ branchId, path }))
  const text = [...(await freshLines(fresh)), ...overLines(over)].join('\n')
  yield [noticeEntry(context.nextId() as MessageId, text, { kind: 'overlap', files })]
}

/** What the agent knows: the last message about it says all. */
function lastTold({ messages }: Pick<ThreadState, 'messages'>): Told {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at]
    const notice = message?.role === 'user' ? noticeIn(message) : null
    if (notice?.kind === 'overlap') return notice.files
  }
  return []
}

async function freshLines(fresh: readonly BranchOverlap[]): Promise<readonly string[]> {
  if (fresh.length === 0) return []
  const named = await Promise.all(fresh.slice(0, namedAtMost).map(lineOf))
  const left = fresh.length - named.length
  return [
    'Another agent works on the same as you. These changes will not merge by themselves:',
    ...named,
    ...(left > 0 ? [`- and ${left} more`] : []),
    'Go on with your task, but change no more there than it needs, and name these files in your last reply. Whoever merges decides.',
  ]
}

async function lineOf(overlap: BranchOverlap): Promise<string> {
  const lines = await overlap.findLines()
  const where = lines === '' ? shownName(overlap.path) : `${shownName(overlap.path)}, your lines ${lines}`
  return `- ${where}: ${deedOf(overlap)}`
}

function deedOf({ did, kin, agent }: BranchOverlap): string {
  const who = kin === 'parent' ? `the branch that yours merges into (${agent})` : agent
  if (did === 'own gone') return `you deleted or moved what ${who} changed`
  return did === 'other gone' ? `deleted or moved by ${who}` : `changed by ${who} too`
}

function overLines(over: Told): readonly string[] {
  if (over.length === 0) return []
  const names = [...new Set(over.map(({ path }) => shownName(path)))]
  const more = names.length > namedAtMost ? ` and ${names.length - namedAtMost} more` : ''
  return [`No longer in the way of another agent: ${names.slice(0, namedAtMost).join(', ')}${more}.`]
}
