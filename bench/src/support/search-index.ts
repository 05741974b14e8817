import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Project } from '../../../src/main/host/project/project.ts'

/** How soon after a slow search the thread of the index has made its folder, at the latest. */
const startMs = 3_000

/**
 * Resolves when the index of a project is complete and kept. It starts by itself with the first search that takes long;
 * projects below that size have none, and then this resolves as well.
 */
export async function untilIndexed(project: Project): Promise<void> {
  const folder = join(dirname(project.databaseFile), 'search-index')
  await setTimeout(startMs)
  while (existsSync(folder) && !existsSync(join(folder, 'catalogue'))) await setTimeout(200)
}
