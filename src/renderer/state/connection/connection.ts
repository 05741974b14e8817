import { type ClientContext, type ClientLink, createORPCClient, DynamicLink } from '@orpc/client'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '#shared/contract/contract.ts'

export type Client = ContractRouterClient<Contract>
export type ConnectionStatus = 'connecting' | 'connected' | 'reconnecting' | 'refused'

/** A live link to the host. `closed` resolves when the link is gone; it never rejects. */
export interface OpenLink {
  readonly link: ClientLink<ClientContext>
  readonly closed: Promise<CloseReason>
  close(): void
}
export type CloseReason = 'lost' | 'refused'

/** The host does not accept the token, so trying again cannot help. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
}

interface ConnectionOptions {
  /** Opens one link. Rejects with `TokenRefused` if the host refuses the token. */
  readonly open: () => Promise<OpenLink>
  readonly onStatus: (status: ConnectionStatus) => void
  readonly sleep: (milliseconds: number) => Promise<void>
}

/**
 * Keeps one link to the host alive. A call made without a link waits for the next one. A call that was running when
 * the link broke fails, because it may or may not have been carried out.
 */
interface Connection extends Disposable {
  readonly client: Client
  /** Resolves once there is a link. */
  ready(): Promise<void>
}

const firstDelay = 250
const longestDelay = 5000

/** Milliseconds to wait after `failures` failed attempts in a row: 250 ms, doubling, at most 5 s. */
export function backoff(failures: number): number {
  return Math.min(firstDelay * 2 ** Math.max(failures - 1, 0), longestDelay)
}

/** Opens a link and opens it again whenever it is lost, until disposed. Gives up when the host refuses the token. */
export function connect(options: ConnectionOptions): Connection {
  let current = Promise.withResolvers<OpenLink>()
  let stopped = false
  let open: OpenLink | null = null

  async function keepOpen(): Promise<void> {
    options.onStatus('connecting')
    for (let failures = 0; !stopped; ) {
      const outcome = await attempt()
      if (outcome === 'refused') return options.onStatus('refused')
      failures = outcome === 'lost' ? 1 : failures + 1
      if (stopped) return
      options.onStatus('reconnecting')
      await options.sleep(backoff(failures))
    }
  }

  async function attempt(): Promise<CloseReason | 'failed'> {
    try {
      open = await options.open()
    } catch (error) {
      return error instanceof TokenRefused ? 'refused' : 'failed'
    }
    current.resolve(open)
    options.onStatus('connected')
    const reason = await open.closed
    current = Promise.withResolvers<OpenLink>()
    return reason
  }

  void keepOpen()
  return {
    client: createORPCClient(new DynamicLink(async () => (await current.promise).link)),
    ready: async () => void (await current.promise),
    [Symbol.dispose]: () => {
      stopped = true
      open?.close()
    },
  }
}
