import { createHash } from 'node:crypto'
import fs from 'node:fs'
import promises, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import type { ApplyStep } from '#core/ports/disk-apply.ts'
import type { BlobHash } from '#shared/model/ids.ts'

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
let calls = 0

/** Every function that the writer changes the disk with, so that there is a point between any two of its steps. */
const synchronous = [
  'chmodSync',
  'fchmodSync',
  'fsync',
  'mkdirSync',
  'openSync',
  'renameSync',
  'rmdirSync',
  'symlinkSync',
  'unlinkSync',
  'writeFile',
  'writeFileSync',
] as const
countCalls(fs, synchronous)
countCalls(promises, ['mkdir', 'open', 'rename', 'rm'])
const probe = await promises.open(process.execPath)
countCalls(Object.getPrototypeOf(probe) as FileHandle, ['sync', 'writeFile'])
await probe.close()
syncBuiltinESMExports()
calls = 0

function countCalls<Name extends string>(owner: Record<Name, unknown>, names: readonly Name[]): void {
  for (const name of names) {
    const original = owner[name] as (...parameters: unknown[]) => unknown
    owner[name] = function (this: unknown, ...parameters: unknown[]) {
      const onlyReads = name.startsWith('open') && typeof (parameters[1] ?? 'r') === 'number'
      if (!onlyReads) calls += 1
      if (calls === task.killBefore) process.kill(process.pid, 'SIGKILL')
      return original.apply(this, parameters)
    }
  }
}

const { createDiskApply } = await import('./disk-apply.ts')
const { recoverApply } = await import('./restore-apply.ts')
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash
const places = {
  rootFolder: task.rootFolder,
  recordFolder: task.recordFolder,
  hashing: { hash, gitObjectId: () => '' },
}
if (task.what === 'recover') await recoverApply(places)
else await createDiskApply(places).apply(task.steps, ({ path }) => Buffer.from(task.contents[path] ?? ''))
