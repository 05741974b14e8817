import { ProxyAgent } from 'undici'

/** What the system's settings say about an address, as browsers write it: `PROXY host:port; DIRECT`. */
export type FindProxy = (url: string) => Promise<string>

/** The way to an address. `proxy` is null for the direct one. */
export interface Way {
  readonly proxy: string | null
  /** Goes that way. Absent where the process does so by itself. */
  readonly dispatcher?: ProxyAgent
}

export interface SystemProxies extends Disposable {
  wayTo(url: URL): Promise<Way>
}

/** Follows the settings of the system, which may lead each host another way and change while the app runs. */
export function createSystemProxies(find: FindProxy): SystemProxies {
  const agents = new Map<string, ProxyAgent>()
  return {
    async wayTo({ origin }) {
      // No path: it may hold a secret, and a script of the network sees it.
      const proxy = readProxyList(await find(`${origin}/`).catch(() => 'DIRECT'))
      if (proxy === null) return { proxy }
      const dispatcher = agents.get(proxy) ?? new ProxyAgent(proxy)
      agents.set(proxy, dispatcher)
      return { proxy, dispatcher }
    },
    [Symbol.dispose]() {
      for (const agent of agents.values()) void agent.close().catch(() => undefined)
      agents.clear()
    },
  }
}

/** The first way of a list that can be taken. Null for the direct one, also where there are proxies of other kinds alone. */
export function readProxyList(list: string): string | null {
  for (const one of list.split(';')) {
    const [kind = '', at = ''] = one.trim().split(/\s+/)
    const scheme = { PROXY: 'http', HTTP: 'http', HTTPS: 'https' }[kind.toUpperCase()]
    const address = scheme === undefined ? null : URL.parse(`${scheme}://${at}`)
    if (address?.hostname) return address.origin
    if (kind.toUpperCase() === 'DIRECT') return null
  }
  return null
}
