import { mkdirSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import writeFileAtomic from 'write-file-atomic'

/** Keeps a key in a file that only its owner can read. It is not a key store, so callers must ask the person first. */
export function createFileSecrets(file: string) {
  return {
    storage: 'plain' as const,
    async read(): Promise<string | null> {
      try {
        return (await readFile(file, 'utf8')).trim() || null
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },
    async write(key: string): Promise<void> {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      await writeFileAtomic(file, `${key}\n`, { mode: 0o600 })
    },
    clear: (): Promise<void> => rm(file, { force: true }),
  }
}
