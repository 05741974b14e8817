import { closeSync, fdatasyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The physical limit of every durable write here: bytes appended to a file and synced to the disk. */
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

const writers = 8

/** The physical limit of replacing many files. Each is written to a file beside it, synced to the disk, and renamed. */
export async function replaceSynced(folder: string, files: readonly { readonly text: string | null }[]): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const texts = files.flatMap(({ text }) => (text === null ? [] : [text])).entries()
  const write = async () => {
    for (const [index, text] of texts) {
      await writeFile(join(folder, `${index}.tmp`), text, { flush: true })
      renameSync(join(folder, `${index}.tmp`), join(folder, `${index}.ts`))
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
}
