import { closeSync, fdatasyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
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

const writers = 8

/** The physical limit of replacing many files: each is written beside its place, kept by the disk, then renamed. */
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
