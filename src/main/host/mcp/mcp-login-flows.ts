import { type McpConnector, McpError, type McpLogin } from '#core/ports/mcp-client.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { McpDefinition } from './mcp-definitions.ts'

/** The logins that wait for a person, at most one for each definition. */
export interface McpLoginFlows extends AsyncDisposable {
  /**
   * The page to log in at. Ends a login of the same server that waits. Throws `REFUSED` with a sentence for a person.
   * `onDone` is awaited before `wait` resolves.
   */
  begin(
    definition: McpDefinition,
    remember: boolean,
    onDone: () => Promise<void>,
  ): Promise<{ readonly address: string }>
  /** The page of a login that waits; null for none. */
  address(hash: string): string | null
  /** Resolves when the login has ended well. Throws `REFUSED` when it did not, and `NOT_FOUND` for no login. */
  wait(hash: string): Promise<void>
  /** Takes the address at which the browser ended. Throws `REFUSED` for one that is not of this login. */
  answer(hash: string, address: string): void
  /** Does nothing where no login waits. */
  cancel(hash: string): Promise<void>
}

export function createMcpLoginFlows(connector: McpConnector): McpLoginFlows {
  const waiting = new Map<string, { readonly login: McpLogin; readonly done: Promise<void> }>()
  const closing = new AbortController()
  const find = (hash: string) => {
    const found = waiting.get(hash)
    if (!found) throw new WireError('NOT_FOUND', 'No login of this server waits. Begin it again.')
    return found
  }
  const cancel = async (hash: string) => {
    await waiting.get(hash)?.login[Symbol.asyncDispose]()
    waiting.delete(hash)
  }
  return {
    async begin({ hash, transport }, remember, onDone) {
      await cancel(hash)
      const login = await refused(connector.login(transport, remember, closing.signal))
      const done = login.done.then(onDone).finally(() => {
        if (waiting.get(hash)?.login === login) waiting.delete(hash)
      })
      // Whoever waits for it hears of a failure.
      done.catch(() => undefined)
      waiting.set(hash, { login, done })
      return { address: login.address }
    },
    address: (hash) => waiting.get(hash)?.login.address ?? null,
    wait: (hash) => refused(find(hash).done),
    answer(hash, address) {
      const { login } = find(hash)
      try {
        login.answer(address)
      } catch (error) {
        throw asRefusal(error)
      }
    },
    cancel,
    async [Symbol.asyncDispose]() {
      closing.abort(new McpError('login', 'The login was cancelled, because Coppice ended.'))
      await Promise.all([...waiting.keys()].map(cancel))
    },
  }
}

async function refused<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work
  } catch (error) {
    throw asRefusal(error)
  }
}

function asRefusal(error: unknown): unknown {
  return error instanceof McpError ? new WireError('REFUSED', error.message) : error
}
