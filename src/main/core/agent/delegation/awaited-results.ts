import type { BranchDiff } from '#shared/model/branch.ts'
import type { AwaitedResult } from '#shared/model/derived/awaited.ts'
import { answerOfRow, type BatchOutcome, type BatchRow, batchRows, isOpen } from '#shared/model/derived/batch.ts'
import { lastReportOf } from '#shared/model/thread.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import type { SpawningCall } from '../../tools/delegate/delegation.ts'
import type { AgentServices } from '../types/services.ts'
import { diffOf, resultOf } from './subagents.ts'

/** Characters of all results together. Beyond that each gets an equal part, and the rest is in the result files. */
const mostCharacters = 4 * 1024 * 1024
/** The least part, with which a result still says something. */
const leastCharacters = 400
const mostPaths = 1_000
/** As much as an agent reads of one result at once. */
const mostOfOne = 80_000

/**
 * What the code that waits reads: nothing that differs between two runs of the same work, such as times or costs. It is
 * stored with the result of the batch, so that it stays as it is whatever the subagents do later.
 */
export async function resultsForCode(
  services: AgentServices,
  { threadId, callId }: SpawningCall,
  otherwise: BatchOutcome,
): Promise<readonly AwaitedResult[]> {
  const rows = batchRows(services.log.state, threadId, callId)
  const part = Math.max(leastCharacters, Math.floor(mostCharacters / Math.max(rows.length, 1)))
  const limit = Math.min(part, mostOfOne)
  const results: AwaitedResult[] = []
  for (const row of rows)
    results.push(await resultOfRow(services, isOpen(row) ? { ...row, status: otherwise } : row, limit))
  return results
}

async function resultOfRow(services: AgentServices, row: BatchRow, limit: number): Promise<AwaitedResult> {
  const { id, type, thread } = row
  const status = row.status as BatchOutcome
  const result = thread && (status === 'ok' || lastReportOf(thread) !== null) ? resultOf(services, thread) : null
  return {
    ...{ id, type, status },
    ...(status !== 'ok' && { error: shortText(answerOfRow(row), limit) }),
    ...(result !== null && { result: typeof result === 'string' ? shortText(result, limit) : result }),
    ...{ handle: thread?.parent?.handle ?? null, name: thread?.agent ?? null },
    diff: thread ? shortDiff(await diffOf(services, thread)) : null,
  }
}

function shortText(text: string, limit: number): string {
  return text.length <= limit ? text : `${beginningOf(text, limit)}… (cut; all of it is in results.jsonl)`
}

function shortDiff({ written, deleted, renamed }: BranchDiff) {
  return {
    written: written.slice(0, mostPaths).map(({ path, kind, size }) => ({ path, kind, size })),
    deleted: deleted.slice(0, mostPaths),
    renamed: renamed.slice(0, mostPaths).map(({ from, to }) => ({ from, to })),
  }
}
