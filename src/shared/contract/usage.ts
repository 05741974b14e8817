import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { ProjectUsage, UsageReport } from '../model/derived/usage-report.ts'
import { projectId } from './primitives.ts'

/**
 * The beginnings of days, ascending, in milliseconds since the Unix epoch. The last day goes on until now, and what was
 * used before the first one is left out. The first may be 0, for everything before the second.
 */
const starts = z.array(z.int().min(0)).min(1).max(4_000)

/** What agents used, in money and tokens. */
export const usageCommands = {
  /** What all threads of the project used, deleted threads and rewound requests included. */
  report: oc.input(z.object({ projectId, starts })).output(type<UsageReport>()),
  /** What every project of this data folder used, also those that are not open. Takes no project's lock. */
  projects: oc.input(z.object({ starts })).output(type<readonly ProjectUsage[]>()),
}
