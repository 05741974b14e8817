import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Secrets } from '#host/app/host-options.ts'
import { secretFile } from '#shared/base/secret-file.ts'
import type { Electron } from './electron.ts'

/**
 * Keeps the key encrypted by the system's own store. Where Linux has none, the store is called plain, and a person must
 * agree.
 */
export async function createKeyStore(
  { safeStorage }: Pick<Electron, 'safeStorage'>,
  file: string,
  platform: NodeJS.Platform,
): Promise<Secrets> {
  const available = await safeStorage.isAsyncEncryptionAvailable()
  const plain = platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text'
  return {
    storage: !available ? 'none' : plain ? 'plain' : 'system',
    async read(name) {
      if (!available) return null
      try {
        return (await safeStorage.decryptStringAsync(await readFile(secretFile(file, name)))).result
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        // Treat a key that another user or machine encrypted as missing, because it cannot be read here.
        return null
      }
    },
    async write(name, key) {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await writeFile(secretFile(file, name), await safeStorage.encryptStringAsync(key), { mode: 0o600 })
    },
    clear: (name) => rm(secretFile(file, name), { force: true }),
  }
}
