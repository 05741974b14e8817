import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { EntryBody } from '#shared/model/entry.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { environment, node, root } from './coppice.ts'

/** A thread and what its journal holds after its beginning. */
export interface StoredThread {
  readonly title: string
  readonly bodies: readonly EntryBody[]
}

/** In an entry, the branch of its own thread. */
export const ownBranch = 'its own' as BranchId

/**
 * Stores new threads in a project, the oldest first. A program does it, because the app's sources would pass through
 * Playwright's translation of TypeScript, one after the other and in each worker anew. Node reads them itself.
 */
export function storeThreads(dataFolder: string, folder: string, threads: readonly StoredThread[]): void {
  const input = JSON.stringify({ dataFolder, folder, threads })
  execFileSync(node, [join(root, 'e2e/support/store-threads.ts')], {
    cwd: root,
    env: environment({}),
    input,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}
