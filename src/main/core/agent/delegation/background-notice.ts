import type { MessageId } from '#shared/model/ids.ts'
import { charactersPerToken } from '#shared/model/models/usage.ts'
import { noticeEntry } from '../../journal/notices.ts'
import type { LoopSteps } from '../calls/call-context.ts'
import { evictionNotice } from '../context/eviction.ts'
import type { LoopContext } from '../types/loop-context.ts'

/** Tells the agent what subagents in the background came to, once for each end. True when there was something to tell. */
export async function* injectBackgroundNotice(context: LoopContext): LoopSteps<boolean> {
  const reports = await context.background.untold()
  if (reports.length === 0) return false
  const most = context.limits.resultTokens * charactersPerToken
  const shown = reports.map((report) => (report.length > most ? kept(context, report) : report))
  const text = ['Subagents of yours have ended. Nothing of theirs is merged yet:', ...shown].join('\n')
  yield [noticeEntry(context.nextId() as MessageId, text)]
  return true
}

/** What is too long for the conversation, in a file; its beginning says whose it is. */
function kept({ keepText, nextId }: LoopContext, report: string): string {
  return `${report.slice(0, 200)}…\n${evictionNotice(keepText('/large_tool_results/', `${nextId()}.txt`, report), report)}`
}
