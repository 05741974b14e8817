import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** The physical limit of anything durable here: bytes added to a file, and the disk asked to keep them. */
export interface SyncedAppend extends Disposable {
  /** Milliseconds that one append took. */
  append(): number
}

export function openSyncedAppend(folder: string, bytes: number): SyncedAppend {
  const file = openSync(join(folder, 'appended'), 'a')
  const content = Buffer.alloc(bytes, 'x')
  return {
    append() {
      const started = performance.now()
      writeSync(file, content)
      fdatasyncSync(file)
      return performance.now() - started
    },
    [Symbol.dispose]: () => closeSync(file),
  }
}
