import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { openStoredJournal } from '#adapters/sqlite/stored-journal.ts'
import { JournalError } from '#core/ports/journal.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { ProjectUsage, UsageReport } from '#shared/model/derived/usage-report.ts'
import { addUsage } from '#shared/model/models/usage.ts'
import { type StoredPlace, storedPlaces } from '../project/project-place.ts'
import { createUsageFold, dayOf, usageReportTypes } from './usage-report.ts'

const databaseFile = 'project.db'
/** Entries that are read at once. Between two such pieces the process answers others. */
const atOnce = 2_000

/**
 * What every project of the data folder used by day and model, in the order of their names. Reads the stored journals
 * alone. A project that cannot be read is named with the reason.
 */
export async function usageOfProjects(dataFolder: string, starts: readonly number[]): Promise<readonly ProjectUsage[]> {
  const found: ProjectUsage[] = []
  for (const { place, folder } of storedPlaces(dataFolder)) {
    const file = join(folder, databaseFile)
    if (existsSync(file)) found.push(await usageOfProject(place, file, starts))
  }
  return found.sort((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id))
}

async function usageOfProject(
  { id, name, rootFolder, kind }: StoredPlace,
  file: string,
  starts: readonly number[],
): Promise<ProjectUsage> {
  const about = { id, name, folder: kind === 'scratch' ? null : rootFolder }
  const rows = new Map<string, ProjectUsage['rows'][number]>()
  try {
    using journal = openStoredJournal(file)
    for (const page of journal.pages(atOnce, ['usage'])) {
      for (const entry of page) {
        const day = entry.type === 'usage' ? dayOf(starts, entry.at) : null
        if (entry.type !== 'usage' || day === null) continue
        const { model, usage } = entry
        const key = `${day} ${model}`
        const known = rows.get(key)
        rows.set(key, { day, model, usage: known ? addUsage(known.usage, usage) : usage })
      }
      await setImmediate()
    }
    return { ...about, rows: [...rows.values()], problem: null }
  } catch (error) {
    if (!(error instanceof JournalError)) throw error
    return { ...about, rows: [], problem: error.message }
  }
}

/**
 * The report of the project with this data folder, while another process may have it open. Empty for a project that was
 * never opened. Throws a refusal when its journal cannot be read.
 */
export async function storedUsageReport(dataFolder: string, starts: readonly number[]): Promise<UsageReport> {
  const file = join(dataFolder, databaseFile)
  const fold = createUsageFold(starts)
  if (!existsSync(file)) return fold.report()
  try {
    using journal = openStoredJournal(file)
    for (const page of journal.pages(atOnce, usageReportTypes)) {
      page.forEach(fold.take)
      await setImmediate()
    }
    return fold.report()
  } catch (error) {
    if (!(error instanceof JournalError)) throw error
    throw new WireError(error.code === 'locked' ? 'PROJECT_LOCKED' : 'UNREADABLE', error.message)
  }
}
