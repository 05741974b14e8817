import {
  Client,
  type ClientOptions,
  InsufficientScopeError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type McpConnection, type McpConnector, McpError } from '#core/ports/mcp-client.ts'
import type { McpTransport } from '#shared/model/settings.ts'
import { tailOf } from '#shared/text/whole-characters.ts'
import { appMark, endsWithApp } from '../system/ends-with-app.ts'
import { createBoundedFetch } from './bounded-fetch.ts'
import { createConnection } from './connection.ts'
import { keepInMemory } from './login/login-record.ts'
import { createLogins, type Logins } from './login/logins.ts'
import { toMcpError } from './mcp-errors.ts'
import { mendAnswer } from './mend-answers.ts'
import { mendLines } from './mend-lines.ts'
import { listPrompts } from './server-prompts.ts'
import { listResources } from './server-resources.ts'
import { createProblems, followTools } from './tool-list.ts'

export interface McpConnectorOptions {
  /** The version that the client reports. */
  readonly version: string
  /** The folder that servers with a process start in. */
  readonly workingFolder: string
  /** The value of `${NAME}` in a definition. Undefined when the name may not be read. */
  readonly variable: (name: string) => string | undefined
  /** Absent for logins that end with this connector. */
  readonly logins?: Logins
  readonly connectMs?: number
  /** Milliseconds for a call without a sign of progress. */
  readonly callMs?: number
  /** Milliseconds between two looks at the tools of a server that says that they changed. */
  readonly quietMs?: number
}

/** Questions of a server reach the person, as a form or as a page to open. */
const capabilities: NonNullable<ClientOptions['capabilities']> = { elicitation: { form: {}, url: {} } }

const defaultConnectMs = 10_000
const defaultCallMs = 60_000
const defaultQuietMs = 5_000
/** Milliseconds in which a server says that it knows the newest protocol. One that does not answer is an older one. */
const probeMs = 2_000
const maxMessageBytes = 10 * 1024 * 1024
const keptErrorOutput = 64 * 1024

/** Answers are not checked against the server's own schemas, as a hostile pattern could block the process. */
const unchecked: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

/**
 * Connects to servers with the protocol's client library: a child process with an explicit environment, or HTTP that
 * stays on its origin.
 */
export function createMcpConnector(given: McpConnectorOptions): McpConnector {
  const options = { ...given, logins: given.logins ?? createLogins(keepInMemory()) }
  const { logins } = options
  /** Null for a server that is a process. */
  const addressOf = (transport: McpTransport): URL | null =>
    transport.kind === 'http' ? webAddress(fill(transport.url, options.variable)) : null
  return {
    connect: (transport, signal) => connect(options, transport, signal),
    async login(transport, remember, signal) {
      const server = addressOf(transport)
      if (!server || transport.kind !== 'http')
        throw new McpError('login', 'A server that is a program on this machine has no login.')
      const { clientSecret, ...settings } = transport.oauth ?? {}
      const secret = clientSecret === undefined ? {} : { clientSecret: fill(clientSecret, options.variable) }
      return logins.begin(server, { ...settings, ...secret }, remember, signal)
    },
    async account(transport) {
      const server = addressOf(transport)
      return server && logins.account(server)
    },
    async logOut(transport) {
      const server = addressOf(transport)
      if (server) await logins.end(server)
    },
  }
}

function webAddress(text: string): URL {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new McpError('not_started', `${JSON.stringify(text)} is no web address.`)
}

type OpenOptions = McpConnectorOptions & { readonly logins: Logins }

async function connect(options: OpenOptions, definition: McpTransport, signal: AbortSignal): Promise<McpConnection> {
  const timeout = AbortSignal.timeout(options.connectMs ?? defaultConnectMs)
  try {
    return await connectAs('auto', options, definition, { signal, timeout })
  } catch (error) {
    // Some servers end, or never answer, when they are asked for a protocol that they do not know.
    if (!(error instanceof NotConnected)) throw error
    return await connectAs('legacy', options, definition, { signal, timeout })
  }
}

/** A server could not be connected to, and may be one that knows only the older protocol. */
class NotConnected extends Error {}

interface Waiting {
  readonly signal: AbortSignal
  readonly timeout: AbortSignal
}

async function connectAs(
  mode: 'auto' | 'legacy',
  options: OpenOptions,
  definition: McpTransport,
  { signal, timeout }: Waiting,
): Promise<McpConnection> {
  const { connectMs = defaultConnectMs, callMs = defaultCallMs, quietMs = defaultQuietMs } = options
  const { transport, errorOutput, onRefused, hasLogin } = openTransport(options, definition)
  const told = createProblems()
  mendIncoming(transport, told.add)
  const probe = { timeoutMs: Math.min(connectMs / 4, probeMs) }
  const client = new Client(
    { name: 'coppice', version: options.version },
    { jsonSchemaValidator: unchecked, capabilities, versionNegotiation: { mode, probe } },
  )
  const closed = Promise.withResolvers<string>()
  let problem: Error | undefined
  let isConnected = false
  client.onerror = (error) => {
    problem = error
  }
  client.onclose = () => closed.resolve(problem ? `The server was closed: ${problem.message}` : 'The server ended.')
  const request = { signal: AbortSignal.any([signal, timeout]), timeout: connectMs }
  try {
    await client.connect(transport, request)
    isConnected = true
    const list = await followTools(client, { told, request, callMs, quietMs })
    const leftOut: string[] = []
    const tell = (problem: string) => void leftOut.push(problem)
    const [prompts, resources] = await Promise.all([
      listPrompts(client, request, tell),
      listResources(client, request, tell),
    ])
    const parts = { list, prompts, resources, told, leftOut, callMs, closed: closed.promise, onRefused, errorOutput }
    return createConnection(client, parts)
  } catch (error) {
    await client.close()
    signal.throwIfAborted()
    onRefused(error)
    if (timeout.aborted) throw new McpError('timed_out', `The server did not answer within ${connectMs / 1000} s.`)
    const reason = toMcpError(error, 'not_started', errorOutput())
    const isLogin = hasLogin && reason.code === 'login'
    throw mode === 'auto' && !isConnected && !isLogin ? new NotConnected(reason.message) : reason
  }
}

/** Lets the library see each answer in the protocol's own form. */
function mendIncoming(transport: Transport, tell: (problem: string) => void): void {
  let handler: Transport['onmessage']
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => handler,
    set(next: Transport['onmessage']) {
      handler = next && ((message, extra) => next(mendAnswer(message, tell) as typeof message, extra))
    },
  })
}

/** A class of its own, so that the library asks for the protocol on this process and does not start a second one for it. */
class AskedInPlace extends StdioClientTransport {}

interface OpenTransport {
  readonly transport: Transport
  readonly errorOutput: () => string
  /** Looks at why a request failed. */
  readonly onRefused: (error: unknown) => void
  /** False for a program, and where a key that the person wrote is the login. */
  readonly hasLogin: boolean
}

function openTransport(options: OpenOptions, definition: McpTransport): OpenTransport {
  const filled = (text: string): string => fill(text, options.variable)
  const filledIn = (record: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, filled(value)]))
  if (definition.kind === 'http') {
    const url = webAddress(filled(definition.url))
    const requestInit = { headers: filledIn(definition.headers) }
    const hasOwn = Object.keys(requestInit.headers).some((name) => name.toLowerCase() === 'authorization')
    const plainFetch = createBoundedFetch(maxMessageBytes)
    const transport = new StreamableHTTPClientTransport(url, {
      requestInit,
      // A key that the person wrote is the login.
      ...(hasOwn ? { fetch: plainFetch } : options.logins.bearer(url, plainFetch)),
      onInsufficientScope: 'throw',
      redirectPolicy: 'same-origin',
    })
    const onRefused = (error: unknown) => {
      if (error instanceof InsufficientScopeError) options.logins.want(url, error.requiredScope)
    }
    return { transport, errorOutput: () => '', onRefused, hasLogin: !hasOwn }
  }
  const [command = '', ...args] = endsWithApp([filled(definition.command), ...definition.args.map(filled)])
  const transport = new AskedInPlace({
    command,
    args,
    env: { ...filledIn(definition.env), ...appMark() },
    cwd: options.workingFolder,
    stderr: 'pipe',
    maxBufferSize: maxMessageBytes,
  })
  mendLines(transport)
  const tail = createTail(keptErrorOutput)
  transport.stderr?.on('data', (chunk: Buffer) => tail.add(chunk.toString()))
  return { transport, errorOutput: tail.text, onRefused: () => undefined, hasLogin: false }
}

/** Expands `${NAME}` and `${NAME:-default}`, as in `.mcp.json`. */
function fill(text: string, variable: McpConnectorOptions['variable']): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, otherwise: string | undefined) => {
    const value = variable(name) ?? otherwise
    if (value === undefined)
      throw new McpError(
        'not_started',
        `The variable ${name} that this server needs is not set, or is never given out.`,
      )
    return value
  })
}

/** Keeps the end of a text that may never end. */
function createTail(characters: number): { add(text: string): void; text(): string } {
  let kept = ''
  return {
    add(text) {
      kept = tailOf(kept + text, characters)
    },
    text: () => kept,
  }
}
