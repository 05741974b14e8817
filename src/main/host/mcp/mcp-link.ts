import {
  type McpConnection,
  type McpConnector,
  McpError,
  type McpPrompt,
  type McpResult,
  type McpTool,
} from '#core/ports/mcp-client.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { McpServerState } from '#shared/contract/views/extensions.ts'
import type { UserPart } from '#shared/model/message.ts'
import { hashOf, type McpDefinition } from './mcp-definitions.ts'

/** The connection to one trusted server. Opened when needed, and again when the server died, with a growing delay. */
export interface McpLink extends AsyncDisposable {
  readonly definition: McpDefinition
  /** Never throws. `state` tells the result. */
  connect(): Promise<void>
  state(): McpServerState
  tools(): readonly McpTool[]
  /** Why it did not start, or what of its tools is not offered, in sentences for a person. */
  problems(): readonly string[]
  /** What of its tools is not offered, in sentences for a person. */
  leftOut(): readonly string[]
  errorOutput(): string
  /** Refuses when the server, perhaps after a new connection, lists another version of the tool. */
  call(tool: McpTool, args: JsonObject, signal: AbortSignal): Promise<McpResult>
  /** Empty where the server is not connected. Throws `McpError`, and the abort reason. */
  prompts(signal: AbortSignal): Promise<readonly McpPrompt[]>
  /** Throws `McpError`, and the abort reason. */
  prompt(name: string, values: Readonly<Record<string, string>>, signal: AbortSignal): Promise<readonly UserPart[]>
}

const firstWaitMs = 1000
const longestWaitMs = 60_000

export function createMcpLink(definition: McpDefinition, connector: McpConnector): McpLink {
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
      const opened = await connector.connect(definition.transport, closing.signal)
      connection = opened
      failures = 0
      state = { kind: 'ready' }
      void opened.closed.then((reason) => {
        lastOutput = opened.errorOutput()
        if (connection === opened) recordFailure(reason)
      })
    } catch (error) {
      recordFailure(error instanceof Error ? error.message : String(error))
    }
  }

  async function connect(): Promise<void> {
    if (connection || performance.now() < notBefore || closing.signal.aborted) return
    connecting ??= open().finally(() => {
      connecting = undefined
    })
    await connecting
  }

  async function connected(): Promise<McpConnection> {
    await connect()
    if (connection) return connection
    throw new McpError('closed', state.kind === 'failed' ? state.reason : 'The server is not connected.')
  }

  return {
    definition,
    connect,
    state: () => state,
    tools: () => connection?.tools ?? [],
    problems() {
      const failed = state.kind === 'failed' ? [`It did not start, so its tools are missing: ${state.reason}`] : []
      return [...failed, ...(connection?.problems ?? [])]
    },
    leftOut: () => connection?.problems ?? [],
    errorOutput: () => connection?.errorOutput() ?? lastOutput,
    prompts: async (signal) => (await connection?.listPrompts(signal)) ?? [],
    prompt: async (name, values, signal) => (await connected()).getPrompt(name, values, signal),
    async call(tool, args, signal) {
      const connection = await connected()
      const listed = connection.tools.findLast(({ name }) => name === tool.name)
      if (!listed || hashOf(listed) !== hashOf(tool)) throw new McpError('refused', changedSince(tool.name))
      return connection.call(tool.name, args, signal)
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new McpError('closed', 'The server was closed.'))
      await connecting
      await connection?.[Symbol.asyncDispose]()
      connection = undefined
      state = { kind: 'idle' }
    },
  }
}

function changedSince(name: string): string {
  return `The server was connected again, and its tool ${JSON.stringify(name)} is another one now or is gone. Call it again: a person decides about the new version.`
}
