import {
  type CallToolResult,
  Client,
  type ClientOptions,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { reasonOf } from '#adapters/system/outgoing.ts'
import {
  type McpConnection,
  type McpConnector,
  McpError,
  type McpErrorCode,
  type McpResult,
  type McpTool,
} from '#core/ports/mcp-client.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { ImagePart, UserPart } from '#shared/model/message.ts'
import type { McpTransport } from '#shared/model/settings.ts'
import { tailOf } from '#shared/text/whole-characters.ts'
import { appMark, endsWithApp } from '../system/ends-with-app.ts'
import { createBoundedFetch } from './bounded-fetch.ts'
import { mendAnswer } from './mend-answers.ts'
import { mendLines } from './mend-lines.ts'
import { listPrompts, promptText } from './server-prompts.ts'

export interface McpConnectorOptions {
  /** The version that the client reports. */
  readonly version: string
  /** The folder that servers with a process start in. */
  readonly workingFolder: string
  /** The value of `${NAME}` in a definition. Undefined when the name may not be read. */
  readonly variable: (name: string) => string | undefined
  readonly connectMs?: number
  readonly callMs?: number
}

const defaultConnectMs = 10_000
const defaultCallMs = 60_000
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
export function createMcpConnector(options: McpConnectorOptions): McpConnector {
  return { connect: (transport, signal) => connect(options, transport, signal) }
}

async function connect(
  options: McpConnectorOptions,
  definition: McpTransport,
  signal: AbortSignal,
): Promise<McpConnection> {
  const { transport, errorOutput } = openTransport(options, definition)
  const problems = new Set<string>()
  mendIncoming(transport, (told) => problems.add(told))
  const client = new Client({ name: 'coppice', version: options.version }, { jsonSchemaValidator: unchecked })
  const closed = Promise.withResolvers<string>()
  let problem: Error | undefined
  client.onerror = (error) => {
    problem = error
  }
  client.onclose = () => closed.resolve(problem ? `The server was closed: ${problem.message}` : 'The server ended.')
  const timeout = AbortSignal.timeout(options.connectMs ?? defaultConnectMs)
  const request = { signal: AbortSignal.any([signal, timeout]), timeout: options.connectMs ?? defaultConnectMs }
  try {
    await client.connect(transport, request)
    const { tools } = await client.listTools({}, request)
    const prompts = await listPrompts(client, request, (told) => problems.add(told))
    return {
      tools: tools.map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema }) as McpTool),
      prompts,
      problems: [...problems],
      closed: closed.promise,
      errorOutput: () => [...problems, errorOutput()].join('\n').trimEnd(),
      call: (name, args, stop) => call(client, options.callMs ?? defaultCallMs, { name, arguments: args }, stop),
      promptText: (name, args, stop) =>
        getPrompt(client, options.callMs ?? defaultCallMs, { name, arguments: { ...args } }, stop),
      [Symbol.asyncDispose]: () => client.close(),
    }
  } catch (error) {
    await client.close()
    signal.throwIfAborted()
    throw timeout.aborted
      ? new McpError(
          'timed_out',
          `The server did not answer within ${(options.connectMs ?? defaultConnectMs) / 1000} s.`,
        )
      : toMcpError(error, 'not_started', errorOutput())
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

async function call(
  client: Client,
  timeout: number,
  params: { readonly name: string; readonly arguments: JsonObject },
  signal: AbortSignal,
) {
  try {
    return toResult(await client.callTool({ ...params }, { signal, timeout }))
  } catch (error) {
    signal.throwIfAborted()
    throw toMcpError(error, 'closed', '')
  }
}

async function getPrompt(
  client: Client,
  timeout: number,
  params: { readonly name: string; readonly arguments: Record<string, string> },
  signal: AbortSignal,
) {
  try {
    return promptText(await client.getPrompt(params, { signal, timeout }))
  } catch (error) {
    signal.throwIfAborted()
    throw toMcpError(error, 'closed', '')
  }
}

interface OpenTransport {
  readonly transport: Transport
  readonly errorOutput: () => string
}

function openTransport(options: McpConnectorOptions, definition: McpTransport): OpenTransport {
  const filled = (text: string): string => fill(text, options.variable)
  const filledIn = (record: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, filled(value)]))
  if (definition.kind === 'http') {
    const requestInit = { headers: filledIn(definition.headers) }
    const transport = new StreamableHTTPClientTransport(new URL(filled(definition.url)), {
      requestInit,
      redirectPolicy: 'same-origin',
      fetch: createBoundedFetch(maxMessageBytes),
    })
    return { transport, errorOutput: () => '' }
  }
  const [command = '', ...args] = endsWithApp([filled(definition.command), ...definition.args.map(filled)])
  const transport = new StdioClientTransport({
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
  return { transport, errorOutput: tail.text }
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

/** `otherwise` is the code to use when the library's error says no more. */
function toMcpError(error: unknown, otherwise: McpErrorCode, errorOutput: string): McpError {
  if (error instanceof McpError) return error
  const said = error instanceof TypeError ? reasonOf(error) : error instanceof Error ? error.message : String(error)
  const output = errorOutput.trim()
  const message = output === '' ? said : `${said} It wrote: ${tailOf(output, 500)}`
  if (error instanceof ProtocolError) return new McpError('refused', message)
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return new McpError('timed_out', message)
  return new McpError(otherwise, message)
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

/** Converts a tool's answer to what a model accepts: text and images. Other parts are only named. */
function toResult({ content, structuredContent, isError }: CallToolResult): McpResult {
  const parts = content.map(toPart)
  const structured = structuredContent === undefined ? [] : [text(JSON.stringify(structuredContent))]
  const all = parts.length > 0 ? parts : structured
  return { ok: isError !== true, content: all.length > 0 ? all : [text('(no content)')] }
}

function toPart(block: CallToolResult['content'][number]): UserPart {
  switch (block.type) {
    case 'text':
      return text(block.text)
    case 'image':
      return toImage(block.mimeType, block.data)
    case 'resource':
      return 'text' in block.resource
        ? text(`${block.resource.uri}\n${block.resource.text}`)
        : text(`(${block.resource.mimeType ?? 'binary'} resource ${block.resource.uri})`)
    case 'resource_link':
      return text(`(resource ${block.uri})`)
    default:
      return text(`(${block.type})`)
  }
}

const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
/** The provider's limit, in characters of base64. */
const maxImage = 5_000_000

function toImage(mediaType: string, data: string): UserPart {
  if (!imageTypes.includes(mediaType) || data.length > maxImage)
    return text(`(${mediaType} image of ${Math.round((data.length * 3) / 4)} bytes, not shown)`)
  return { type: 'image', mediaType: mediaType as ImagePart['mediaType'], data }
}

function text(value: string): UserPart {
  return { type: 'text', text: value }
}
