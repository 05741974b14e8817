import { createHash } from 'node:crypto'
import type { ApplyStep } from '#core/ports/disk-apply.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import { killBefore } from './kill-before.testkit.ts'

/**
 * Applies steps, or recovers from an apply, and kills itself right before its nth call that changes the disk. Exits
 * with 0 when there are fewer calls.
 */
export interface KilledTask {
  readonly what: 'apply' | 'recover'
  readonly rootFolder: string
  readonly recordFolder: string
  readonly steps: readonly ApplyStep[]
  /** New contents by path. */
  readonly contents: Readonly<Record<string, string>>
  readonly killBefore: number
}

const task = JSON.parse(process.argv[2] ?? '') as KilledTask
const startCounting = await killBefore(task.killBefore)

const { createDiskApply } = await import('./disk-apply.ts')
const { recoverApply } = await import('./restore-apply.ts')
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash
const places = {
  rootFolder: task.rootFolder,
  recordFolder: task.recordFolder,
  hashing: { hash, gitObjectId: () => '' },
}
startCounting()
if (task.what === 'recover') await recoverApply(places)
else await createDiskApply(places).apply(task.steps, ({ path }) => Buffer.from(task.contents[path] ?? ''))
