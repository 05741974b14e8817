import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Secrets } from '#host/composition/host-options.ts'
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
    async read() {
      if (!available) return null
      try {
        return (await safeStorage.decryptStringAsync(await readFile(file))).result
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        // Treat a key that another user or machine encrypted as missing, because it cannot be read here.
        return null
      }
    },
    async write(key) {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await writeFile(file, await safeStorage.encryptStringAsync(key), { mode: 0o600 })
    },
    clear: () => rm(file, { force: true }),
  }
}
