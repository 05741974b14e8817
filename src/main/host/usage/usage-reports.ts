import { setImmediate } from 'node:timers/promises'
import type { LogReader } from '#core/journal/project-log.ts'
import type { UsageReport } from '#shared/model/derived/usage-report.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { createUsageFold, type UsageFold, usageReportTypes } from './usage-report.ts'

/** Entries that are read at once. Between two such pieces the host answers others. */
const atOnce = 2_000

type Log = Pick<LogReader, 'pages'>

/** What was read of one project for one list of days. */
interface Progress {
  readonly starts: string
  readonly fold: UsageFold
  /** Everything up to this entry is in the fold. */
  read: Sequence
  /** Ends when the last reader has ended. Readers come one after the other, so that no entry counts twice. */
  turn: Promise<unknown>
}

/**
 * Makes the reports of open projects. It keeps the last one of each project, so that the next one reads only what was
 * stored since.
 */
export function createUsageReports(): (log: Log, starts: readonly number[]) => Promise<UsageReport> {
  const known = new WeakMap<Log, Progress>()
  return (log, starts) => {
    const name = starts.join(' ')
    const last = known.get(log)
    const progress = last?.starts === name ? last : beginReading(starts, name)
    known.set(log, progress)
    const report = progress.turn.then(() => readOn(log, progress))
    progress.turn = report.catch(() => known.delete(log))
    return report
  }
}

function beginReading(starts: readonly number[], name: string): Progress {
  return { starts: name, fold: createUsageFold(starts), read: 0, turn: Promise.resolve() }
}

async function readOn(log: Log, progress: Progress): Promise<UsageReport> {
  for (const page of log.pages(atOnce, { after: progress.read, types: usageReportTypes })) {
    page.forEach(progress.fold.take)
    progress.read = page.at(-1)?.sequence ?? progress.read
    await setImmediate()
  }
  return progress.fold.report()
}
