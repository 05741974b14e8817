import { keepInMemory, type LoginStore } from '#adapters/mcp/login/login-record.ts'
import type { Secrets } from '../app/host-options.ts'
import { hashOf } from './mcp-definitions.ts'

/** Keeps logins to servers where keys of models are kept: in the key store, in a private file, or in memory. */
export function createLoginStore(secrets: Secrets): LoginStore {
  const inMemory = keepInMemory()
  return {
    read: async (address) => (await inMemory.read(address)) ?? (await secrets.read(slotOf(address))),
    async write(address, login, remember) {
      const isKept = remember ?? (await inMemory.read(address)) === null
      if (!isKept || secrets.storage === 'none') return inMemory.write(address, login)
      await secrets.write(slotOf(address), login)
      await inMemory.clear(address)
    },
    async clear(address) {
      await inMemory.clear(address)
      await secrets.clear(slotOf(address))
    },
  }
}

/** Short enough for the name of a file, and the name of no profile of models. */
function slotOf(address: string): string {
  return `mcp ${hashOf(address)}`
}
