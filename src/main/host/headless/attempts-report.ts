import { readBranch, readThread } from '#core/journal/read-thread.ts'
import {
  type AttemptVerdict,
  attemptsTool,
  greenBefore,
  type JudgedAttempt,
  rankAttempts,
} from '#shared/model/calls/attempts.ts'
import type { Call } from '#shared/model/calls/call.ts'
import { answerOfRow, type BatchRow, batchRows } from '#shared/model/derived/batch.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { toolCallsOf } from '#shared/model/message.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { Project } from '../project/project.ts'

/** One attempt of the last message as a report has it, the best first. */
export interface ReportedAttempt {
  /** The name that the next commands take; null for one that could not be made. */
  readonly branch: string | null
  readonly checks: AttemptVerdict
  /** Its green checks that were green before anything changed. */
  readonly green_before: readonly string[]
  /** Lines added and removed. */
  readonly lines: number
  /** US dollars; null when a price is unknown. */
  readonly cost: number | null
  /** True when it was merged. */
  readonly picked: boolean
}

/** The attempts at the last message of a thread, with more than a report says. */
export interface TriedMessage {
  readonly rows: readonly TriedRow[]
  /** What to know besides, in sentences. Empty for nothing. */
  readonly note: string
}

export interface TriedRow extends ReportedAttempt {
  readonly branchId: BranchId | null
  readonly name: string
  readonly judged: JudgedAttempt | null
  /** The branch of the first attempt with the same files. Null for files of its own. */
  readonly same: string | null
  /** Why it ended otherwise than by itself. Empty when it did not. */
  readonly ended: string
  readonly isBudget: boolean
}

/** Null for a thread whose last message was not tried several times. */
export function triedMessage({ services: { log } }: Project, threadId: ThreadId): TriedMessage | null {
  const thread = readThread(log, threadId)
  const call = thread && triedCall(thread)
  if (!thread || !call?.batch) return null
  const rows = batchRows(log.state, threadId, call.callId)
  const { judged = new Map<number, JudgedAttempt>(), judgedNote = '' } = call.batch
  const branchOf = (index: number | null) => (index === null ? null : (rows[index]?.thread?.parent?.handle ?? null))
  const describe = (row: BatchRow, found: JudgedAttempt | null): TriedRow => {
    const branchId = row.thread?.branchId ?? null
    return {
      ...{ branch: branchOf(row.index), branchId, name: row.thread?.agent ?? row.id, judged: found },
      ...{ checks: found?.verdict ?? 'none', lines: found?.lines ?? 0, cost: row.thread ? row.thread.usage.cost : 0 },
      green_before: greenBefore(found?.checks ?? []),
      picked: branchId !== null && (readBranch(log, branchId)?.merges ?? []).some(({ undone }) => !undone),
      same: branchOf(found?.same ?? null),
      ended: row.status === 'ok' ? '' : (found?.stopped ?? answerOfRow(row)),
      isBudget: row.thread?.end?.reason === 'budget',
    }
  }
  const ranked = rankAttempts(judged.values()).flatMap((one) => {
    const row = rows[one.index]
    return row ? [describe(row, one)] : []
  })
  const others = rows.filter(({ index }) => !judged.has(index)).map((row) => describe(row, null))
  return { rows: [...ranked, ...others], note: judgedNote }
}

/** The attempts of a report. Absent for a thread whose last message was not tried several times. */
export function reportedAttempts(project: Project, threadId: ThreadId): { attempts?: readonly ReportedAttempt[] } {
  const tried = triedMessage(project, threadId)
  if (tried === null) return {}
  return {
    attempts: tried.rows.map(({ branch, checks, green_before, lines, cost, picked }) => ({
      ...{ branch, checks, green_before, lines, cost, picked },
    })),
  }
}

/** The call of `attempts` that stands for the last message of a person. */
function triedCall({ messages, calls }: ThreadState): Call | undefined {
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  const reply = messages[at]
  const asked = messages.slice(0, Math.max(at, 0)).findLast(({ role }) => role === 'user')
  if (reply?.role !== 'assistant' || asked?.role !== 'user' || asked.attempts === undefined) return undefined
  const part = toolCallsOf(reply).find(({ name }) => name === attemptsTool)
  return part && calls.get(part.callId)
}
