import { mkdirSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { secretFile } from '#shared/base/secret-file.ts'

/** Keeps keys in files that only their owner can read. It is not a key store, so callers must ask the person first. */
export function createFileSecrets(file: string) {
  return {
    storage: 'plain' as const,
    async read(name: string | null): Promise<string | null> {
      try {
        return (await readFile(secretFile(file, name), 'utf8')).trim() || null
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },
    async write(name: string | null, key: string): Promise<void> {
      const path = secretFile(file, name)
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      await writeFileAtomic(path, `${key}\n`, { mode: 0o600 })
    },
    clear: (name: string | null): Promise<void> => rm(secretFile(file, name), { force: true }),
  }
}
