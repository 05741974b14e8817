import { madeAt } from '#adapters/sqlite/file/backups.ts'
import type { ProjectDatabase } from '#adapters/sqlite/project-database.ts'
import type { ProjectDamage } from '#shared/contract/views/projects.ts'

/**
 * The first try is long after the start, so that opening stays fast. Later ones are often enough for one backup a day.
 */
const firstMs = 60_000
const againMs = 60 * 60 * 1000

/** Keeps a copy of a project's database that is at most a day old, in case the file is damaged. */
export function backUpRegularly(
  database: Pick<ProjectDatabase, 'backUpDaily'>,
  report: (problem: string, error: unknown) => void,
): Disposable {
  const backUp = (): void => {
    database.backUpDaily().catch((error: unknown) => report('No backup could be made', error))
  }
  const first = setTimeout(backUp, firstMs).unref()
  const again = setInterval(backUp, againMs).unref()
  return {
    [Symbol.dispose]() {
      clearTimeout(first)
      clearInterval(again)
    },
  }
}

export function damageOf({ movedAside, lastBackup }: ProjectDatabase): ProjectDamage | null {
  if (movedAside === null) return null
  return { keptAs: movedAside, backupAt: lastBackup === null ? null : madeAt(lastBackup) }
}
