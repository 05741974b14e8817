import type { MessageEvent, WebSocket } from 'ws'
import { isJsonObject, type JsonValue } from '#shared/base/json.ts'

/** Between the JSON and the bytes of a message, as the protocol's library has it. */
const beforeBytes = 0xff
/** The kinds of messages of a client: a request, an event of a stream, and the end of a request. */
const [request, event, abort] = [1, 3, 4]

/** True for what the protocol's library can read. */
function isWireMessage(data: unknown): boolean {
  if (typeof data !== 'string' && !(data instanceof Uint8Array)) return false
  try {
    const message: JsonValue = JSON.parse(typeof data === 'string' ? data : jsonIn(data))
    if (!isJsonObject(message) || typeof message.i !== 'string') return false
    const { t: kind = request, p: payload } = message
    if (kind === event || kind === abort) return payload === undefined || isJsonObject(payload)
    return kind === request && isJsonObject(payload) && isRequest(payload)
  } catch {
    return false
  }
}

function jsonIn(data: Uint8Array): string {
  const end = data.indexOf(beforeBytes)
  return new TextDecoder().decode(end < 0 ? data : data.subarray(0, end))
}

function isRequest({ u: address, h: headers = {}, m: method = 'POST' }: Readonly<Record<string, JsonValue>>): boolean {
  // Only a form has a kind of its own, and no client sends one.
  const isPlain = isJsonObject(headers) && !Object.keys(headers).some((name) => /^content-/i.test(name))
  return isPlain && typeof method === 'string' && typeof address === 'string' && URL.canParse(address, 'http://x')
}

/**
 * The socket as the protocol's library sees it. The library prints a trace of each message that it cannot read, so it gets
 * none: `refuse` is called in its place.
 */
export function readableOnly(socket: WebSocket, refuse: () => void): Pick<WebSocket, 'addEventListener' | 'send'> {
  const listen = (type: string, listener: (event: MessageEvent) => void): void => {
    if (type !== 'message') return void socket.addEventListener(type as 'close', listener as never)
    socket.addEventListener('message', (message) => (isWireMessage(message.data) ? listener(message) : refuse()))
  }
  return { send: socket.send.bind(socket), addEventListener: listen as WebSocket['addEventListener'] }
}
