import { type McpConnection, type McpConnector, McpError } from '#core/ports/mcp-client.ts'
import type { McpServerState } from '#shared/contract/views/extensions.ts'
import type { McpTransport } from '#shared/model/settings.ts'

/** The connection to one server while there is one. Opened when needed, and again when the server died, with a growing delay. */
interface HeldConnection extends AsyncDisposable {
  /** Undefined while there is none. */
  connection(): McpConnection | undefined
  state(): McpServerState
  /** Never throws. `state` tells the result. */
  connect(): Promise<void>
  /** Connects at once, and anew, because the login is another one. Never throws. */
  connectAnew(): Promise<void>
  /** Opens the connection if necessary. Throws `McpError` when there is none, and what `work` throws. */
  use<Answer>(work: (connection: McpConnection) => Promise<Answer>): Promise<Answer>
  /** The end of what the server wrote on standard error, also of one that ended. */
  errorOutput(): string
}

const firstWaitMs = 1000
const longestWaitMs = 60_000

export function holdConnection(connector: McpConnector, transport: McpTransport): HeldConnection {
  const closing = new AbortController()
  let connection: McpConnection | undefined
  let connecting: Promise<void> | undefined
  let state: McpServerState = { kind: 'idle' }
  let failures = 0
  /** On a clock that nobody can set. */
  let notBefore = 0
  let lastOutput = ''

  function recordFailure(reason: string): void {
    connection = undefined
    failures += 1
    notBefore = performance.now() + Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1))
    if (!closing.signal.aborted) state = { kind: 'failed', reason }
  }

  async function open(): Promise<void> {
    state = { kind: 'connecting' }
    try {
      const opened = await connector.connect(transport, closing.signal)
      connection = opened
      failures = 0
      state = { kind: 'ready' }
      void opened.closed.then((reason) => {
        lastOutput = opened.errorOutput()
        if (connection === opened) recordFailure(reason)
      })
    } catch (error) {
      // A person ends this, and not time.
      if (isLogin(error)) state = { kind: 'login', reason: error.message }
      else recordFailure(error instanceof Error ? error.message : String(error))
    }
  }

  async function connect(): Promise<void> {
    if (connection || performance.now() < notBefore || closing.signal.aborted) return
    connecting ??= open().finally(() => {
      connecting = undefined
    })
    await connecting
  }

  async function drop(): Promise<void> {
    const dropped = connection
    connection = undefined
    await dropped?.[Symbol.asyncDispose]()
  }

  return {
    connection: () => connection,
    state: () => state,
    connect,
    async connectAnew() {
      await connecting
      await drop()
      notBefore = 0
      await connect()
    },
    async use(work) {
      await connect()
      if (!connection) throw missing(state)
      try {
        const answer = await work(connection)
        if (connection && state.kind === 'login') state = { kind: 'ready' }
        return answer
      } catch (error) {
        if (isLogin(error)) state = { kind: 'login', reason: error.message }
        throw error
      }
    },
    errorOutput: () => connection?.errorOutput() ?? lastOutput,
    async [Symbol.asyncDispose]() {
      closing.abort(new McpError('closed', 'The server was closed.'))
      await connecting
      await drop()
      state = { kind: 'idle' }
    },
  }
}

function isLogin(error: unknown): error is McpError {
  return error instanceof McpError && error.code === 'login'
}

function missing(state: McpServerState): McpError {
  if (state.kind === 'login') return new McpError('login', state.reason)
  return new McpError('closed', state.kind === 'failed' ? state.reason : 'The server is not connected.')
}
