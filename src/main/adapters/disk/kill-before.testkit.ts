import fs from 'node:fs'
import promises, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

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

/** From the call of the returned function on, the process kills itself right before its nth call that changes the disk. */
export async function killBefore(nth: number): Promise<() => void> {
  let calls = Number.NaN
  function countCalls<Name extends string>(owner: Record<Name, unknown>, names: readonly Name[]): void {
    for (const name of names) {
      const original = owner[name] as (...parameters: unknown[]) => unknown
      owner[name] = function (this: unknown, ...parameters: unknown[]) {
        const onlyReads = name.startsWith('open') && typeof (parameters[1] ?? 'r') === 'number'
        if (!onlyReads) calls += 1
        if (calls === nth) process.kill(process.pid, 'SIGKILL')
        return original.apply(this, parameters)
      }
    }
  }
  countCalls(fs, synchronous)
  countCalls(promises, ['mkdir', 'open', 'rename', 'rm'])
  const probe = await promises.open(process.execPath)
  countCalls(Object.getPrototypeOf(probe) as FileHandle, ['sync', 'writeFile'])
  await probe.close()
  syncBuiltinESMExports()
  return () => {
    calls = 0
  }
}
