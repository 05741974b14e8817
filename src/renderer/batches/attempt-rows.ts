import { bestAttempt, type JudgedAttempt, rankAttempts, variantsOf } from '#shared/model/calls/attempts.ts'
import type { Call } from '#shared/model/calls/call.ts'
import type { BatchRow } from '#shared/model/derived/batch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { ProjectState } from '#shared/model/project-state.ts'

/** One attempt as its table shows it. */
export interface AttemptRow {
  readonly row: BatchRow
  readonly name: string
  /** What is different in it, in few words. Empty for nothing. */
  readonly variant: string
  readonly judged: JudgedAttempt | null
  readonly fate: 'open' | 'taken' | 'discarded'
  /** The name of the first attempt with the same files. Null for files of its own. */
  readonly same: string | null
  readonly isBest: boolean
}

/** The attempts by their evidence, the best first, and behind them those that nobody looked at. */
export function attemptRows(
  { branches }: Pick<ProjectState, 'branches'>,
  call: Call,
  rows: readonly BatchRow[],
): readonly AttemptRow[] {
  const judged = call.batch?.judged ?? new Map<number, JudgedAttempt>()
  const hasEnded = call.state.kind === 'finished'
  const best = hasEnded ? bestAttempt(judged.values()) : null
  const variants = variantsOf(call.input)
  const nameOf = (row: BatchRow | undefined): string => row?.thread?.agent ?? row?.id ?? ''
  const fateOf = (id: BranchId | undefined): AttemptRow['fate'] => {
    const branch = id === undefined ? undefined : branches.get(id)
    if (branch?.merges.some(({ undone }) => !undone)) return 'taken'
    return branch?.status === 'discarded' ? 'discarded' : 'open'
  }
  const describe = (row: BatchRow): AttemptRow => {
    const found = judged.get(row.index) ?? null
    const { model, agent, effort, hint } = variants[row.index] ?? {}
    return {
      ...{ row, name: nameOf(row), judged: found, fate: fateOf(row.thread?.branchId) },
      variant: [model, agent, effort, hint].filter((one) => one !== undefined).join(' · '),
      same: found?.same == null ? null : nameOf(rows[found.same]),
      isBest: best?.index === row.index,
    }
  }
  const ranked = rankAttempts(judged.values()).flatMap(({ index }) => rows[index] ?? [])
  return [...ranked, ...rows.filter(({ index }) => !judged.has(index))].map(describe)
}
