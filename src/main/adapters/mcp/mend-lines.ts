import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'

/** What a message of the protocol has at its top. The library refuses a message with anything else. */
const known: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error'])

/**
 * A message as the protocol's library takes it, from the text of one. The library refuses a message before anybody hears
 * of it, and its caller waits until time is up: for `"error": null` beside a result, a `_meta` that is no object, or a
 * field of the server's own. Text that is no message comes back as it is.
 */
function mendText(text: string): string {
  try {
    const value: JsonValue = JSON.parse(text)
    const mended = Array.isArray(value) ? value.map(mendMessage) : mendMessage(value)
    return JSON.stringify(mended) === JSON.stringify(value) ? text : JSON.stringify(mended)
  } catch {
    return text
  }
}

function mendMessage(message: JsonValue): JsonValue {
  if (!isJsonObject(message) || !['method', 'result', 'error'].some((key) => key in message)) return message
  const entries = Object.entries(message).flatMap(([key, value]): [string, JsonValue][] => {
    if (value === null || !known.has(key) || (key === 'result' && isJsonObject(message.error))) return []
    if (key === 'error') return [[key, mendError(value)]]
    return [[key, isJsonObject(value) ? withMeta(value) : value]]
  })
  return { ...Object.fromEntries(entries), jsonrpc: '2.0' }
}

function withMeta({ _meta: meta, ...rest }: JsonObject): JsonObject {
  return isJsonObject(meta) ? { ...rest, _meta: meta } : rest
}

/** JSON-RPC's code for an error of the server that says no more. */
const internalError = -32_603

function mendError(error: JsonValue): JsonObject {
  const { code, message, data } = isJsonObject(error) ? error : { message: error }
  return {
    code: Number.isInteger(Number(code)) && code !== undefined ? Number(code) : internalError,
    message: typeof message === 'string' ? message : JSON.stringify(message ?? error),
    ...(data !== undefined && { data }),
  }
}

const lineEnd = 0x0a

/** Lets the library read mended lines of a server that is a process. It has no place for that but its own buffer. */
export function mendLines(transport: StdioClientTransport): void {
  const { _readBuffer: buffer } = transport as unknown as { readonly _readBuffer: { append(chunk: Buffer): void } }
  const append = buffer.append.bind(buffer)
  let rest: Buffer = Buffer.alloc(0)
  buffer.append = (chunk) => {
    const end = chunk.lastIndexOf(lineEnd) + 1
    if (end === 0) {
      rest = Buffer.concat([rest, chunk])
      if (rest.length <= longestRest) return
      // The library ends a server whose line does not end.
      const whole = rest
      rest = Buffer.alloc(0)
      append(whole)
      return
    }
    const lines = Buffer.concat([rest, chunk.subarray(0, end)])
      .toString()
      .split('\n')
      .slice(0, -1)
    rest = Buffer.from(chunk.subarray(end))
    for (const line of lines) append(Buffer.from(`${mendText(line)}\n`))
  }
}

/** Bytes of one line, as `maxMessageBytes` of the connector. */
const longestRest = 10 * 1024 * 1024

/** The same for answers over HTTP: one message, or a stream of events with one each. */
export function mendBody(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ''
  const mendLine = (line: string) => {
    const [, head, text] = /^(data: ?)(.*)$/s.exec(line) ?? []
    return head === undefined || text === undefined ? line : `${head}${mendText(text)}`
  }
  return new TransformStream({
    transform(chunk, controller) {
      rest += decoder.decode(chunk, { stream: true })
      if (!isStream) return
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const isReturned = line.endsWith('\r')
        controller.enqueue(
          encoder.encode(`${mendLine(isReturned ? line.slice(0, -1) : line)}${isReturned ? '\r' : ''}\n`),
        )
      }
    },
    flush(controller) {
      rest += decoder.decode()
      if (rest !== '') controller.enqueue(encoder.encode(isStream ? mendLine(rest) : mendText(rest)))
    },
  })
}
