import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent } from 'undici'
import { fetchOn } from './outgoing.ts'

/**
 * Asks a server at exactly these addresses, whatever its name resolves to by now. The connection serves this request alone. Not
 * for an address that is asked through a proxy, which resolves names itself.
 */
export async function fetchPinned(
  url: URL,
  init: RequestInit,
  addresses: readonly LookupAddress[],
): Promise<{ readonly response: Response; readonly connection: AsyncDisposable }> {
  const lookup: LookupFunction = (_, { all }, callback) => {
    const [first] = addresses
    if (all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
  const agent = new Agent({ connect: { lookup }, pipelining: 0 })
  const connection = { [Symbol.asyncDispose]: () => agent.destroy() }
  try {
    return { response: await fetchOn({ proxy: null }, url, { ...init, dispatcher: agent } as RequestInit), connection }
  } catch (error) {
    await agent.destroy()
    throw error
  }
}
