import type { JsonValue } from '#shared/base/json.ts'
import type { BranchDiff } from '#shared/model/branch.ts'
import {
  answerOfRow,
  type BatchOutcome,
  type BatchRow,
  batchOutcomes,
  batchRows,
  durationOf,
  isOpen,
} from '#shared/model/derived/batch.ts'
import type { Handle } from '#shared/model/ids.ts'
import { addUsage, noUsage, type Usage } from '#shared/model/models/usage.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import { lastReportOf } from '#shared/model/thread.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import type { BatchSummary, SpawningCall } from '../../tools/delegate/delegation.ts'
import type { AgentServices } from '../types/services.ts'
import { diffOf, resultOf } from './subagents.ts'

/** One line of `results.jsonl`; field names are part of the tool contract. */
interface ResultLine {
  readonly index: number
  readonly id: string
  readonly type: string
  readonly description: string
  readonly status: BatchOutcome
  readonly result?: JsonValue
  readonly error?: string
  readonly handle: Handle | null
  readonly diff: BranchDiff
  readonly usage: Usage
  readonly duration_ms: number | null
}

const noDiff: BranchDiff = { written: [], deleted: [], renamed: [] }
const failuresShown = 5
const errorShown = 200

/**
 * Rewrites the result files from the threads of the batch: one line per task, in order, in every case. A task without
 * an outcome gets `otherwise`.
 */
export async function keepResults(
  services: AgentServices,
  { threadId, callId }: SpawningCall,
  otherwise: BatchOutcome,
): Promise<BatchSummary> {
  const { log, scratch } = services
  const lines: ResultLine[] = []
  for (const row of batchRows(log.state, threadId, callId))
    lines.push(await lineOf(services, isOpen(row) ? { ...row, status: otherwise } : row))
  const folder = log.state.threads.get(threadId)?.calls.get(callId)?.batch?.folder ?? ''
  const keep = (name: string, text: string) => {
    scratch.write(rootThreadOf(log.state, threadId), `${folder}${name}`, new TextEncoder().encode(text))
    return `${folder}${name}`
  }
  const failed = lines.filter(({ status }) => status !== 'ok')
  const summary = {
    tasks: lines.length,
    ...countsOf(lines),
    changed_paths: lines.reduce((sum, { diff }) => sum + pathsIn(diff), 0),
    usage: lines.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
    summary_file: `${folder}summary.json`,
    results_file: keep('results.jsonl', jsonLines(lines)),
    failures_file: keep('failures.jsonl', jsonLines(failed)),
    failures: failed.slice(0, failuresShown).map(shortFailure),
  }
  keep('summary.json', `${JSON.stringify(summary, null, 2)}\n`)
  return summary
}

async function lineOf(services: AgentServices, row: BatchRow): Promise<ResultLine> {
  const { index, id, type, description, thread } = row
  const status = row.status as BatchOutcome
  const result = thread && (status === 'ok' || lastReportOf(thread) !== null) ? resultOf(services, thread) : null
  return {
    index,
    id,
    type,
    description,
    status,
    ...(status === 'ok' ? {} : { error: answerOfRow(row) }),
    ...(result !== null && { result }),
    handle: thread?.parent?.handle ?? null,
    diff: thread ? await diffOf(services, thread) : noDiff,
    usage: thread?.usage ?? noUsage,
    duration_ms: durationOf(row),
  }
}

function countsOf(lines: readonly ResultLine[]): Record<BatchOutcome, number> {
  const counts = Object.fromEntries(batchOutcomes.map((status) => [status, 0])) as Record<BatchOutcome, number>
  for (const { status } of lines) counts[status] += 1
  return counts
}

function shortFailure({ index, id, status, handle, error = '' }: ResultLine): BatchSummary['failures'][number] {
  return { index, id, status, handle, error: beginningOf(error, errorShown) }
}

function pathsIn({ written, deleted, renamed }: BranchDiff): number {
  return written.length + deleted.length + renamed.length
}

function jsonLines(lines: readonly ResultLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}
