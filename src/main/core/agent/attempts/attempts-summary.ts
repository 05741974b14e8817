import { bestAttempt, type JudgedAttempt, rankAttempts } from '#shared/model/calls/attempts.ts'
import { answerOfRow, type BatchRow } from '#shared/model/derived/batch.ts'
import type { AttemptsSummary, FoundAttempt } from '../../tools/delegate/delegation.ts'

/** What an agent is told of its attempts: first those that were checked, the best at the top, then those that could not be made. */
export function summaryOf(
  rows: readonly BatchRow[],
  judged: ReadonlyMap<number, JudgedAttempt>,
): Pick<AttemptsSummary, 'attempts' | 'best'> {
  const handleOf = (index: number) => rows[index]?.thread?.parent?.handle ?? null
  const found = rankAttempts(judged.values()).map((one): FoundAttempt => {
    const { index, verdict, checks, files, lines, cost, findings, same } = one
    const row = rows[index]
    const ended = row === undefined || row.status === 'ok' ? '' : (one.stopped ?? answerOfRow(row))
    const twin = same === null ? null : handleOf(same)
    return {
      ...{ attempt: index + 1, handle: handleOf(index), checks: verdict },
      not_green: checks.filter(({ outcome }) => outcome !== 'green').map(({ name }) => name),
      ...{ files, lines, cost, findings },
      ...(twin !== null && { same_as: twin }),
      ...(ended !== '' && { ended }),
    }
  })
  const unmade = rows.filter(({ index }) => !judged.has(index)).map(unmadeAttempt)
  const best = bestAttempt(judged.values())
  return { attempts: [...found, ...unmade], best: best === null ? null : handleOf(best.index) }
}

function unmadeAttempt(row: BatchRow): FoundAttempt {
  return {
    ...{ attempt: row.index + 1, handle: row.thread?.parent?.handle ?? null, checks: 'none', not_green: [] },
    ...{ files: 0, lines: 0, cost: row.thread?.usage.cost ?? 0, findings: null },
    ended: answerOfRow(row) || 'It did not run.',
  }
}
