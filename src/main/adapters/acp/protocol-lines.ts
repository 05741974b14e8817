import type { AgentStreams } from '#core/ports/programs/external-agent.ts'
import { isJsonObject, type JsonObject, structureIn } from '#shared/base/json.ts'
import { tailOf } from '#shared/text/whole-characters.ts'

/** Bytes that one message may have. */
const mostBytes = 64 * 1024 * 1024
/** Characters of what is no message that are kept for a person: the last ones. */
const mostSaid = 500

/** The streams of a program as those of the protocol, without what it prints beside it. */
export interface ProtocolLines {
  readonly readable: ReadableStream<Uint8Array>
  readonly writable: WritableStream<Uint8Array>
  /** The end of what it printed that was no message. */
  said(): string
}

/**
 * Programs print greetings and warnings where only messages belong: a line that is no object is left out. `onUpdate` hears the
 * updates of sessions as they came, because the library would drop what it does not understand.
 */
export function protocolLines(
  { listen, write, ended }: AgentStreams,
  onUpdate: (params: JsonObject) => void,
): ProtocolLines {
  let said = ''
  let line: Uint8Array[] = []
  let bytes = 0
  let isClosed = false
  const decoder = new TextDecoder()
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      const takeLine = () => {
        const whole = Buffer.concat(line)
        line = []
        if (bytes > mostBytes || whole.at(0) !== brace) said = tailOf(`${said}${decoder.decode(whole)}\n`, mostSaid)
        else {
          const update = updateIn(decoder.decode(whole))
          if (update) onUpdate(update)
          else if (!isClosed) controller.enqueue(whole)
        }
        bytes = 0
      }
      listen((chunk) => {
        let from = 0
        for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
          add(chunk.subarray(from, end + 1))
          takeLine()
          from = end + 1
        }
        add(chunk.subarray(from))
      })
      void ended.then(() => {
        if (bytes > 0) takeLine()
        if (!isClosed) controller.close()
        isClosed = true
      })
    },
    cancel() {
      isClosed = true
    },
  })
  /** The rest of a line that is too long is not kept. */
  function add(piece: Uint8Array): void {
    bytes += piece.length
    if (bytes <= mostBytes) line.push(piece)
  }
  const encoder = new TextDecoder()
  const writable = new WritableStream<Uint8Array>({ write: (chunk) => write(encoder.decode(chunk, { stream: true })) })
  return { readable, writable, said: () => said.trim() }
}

const method = 'session/update'

function updateIn(line: string): JsonObject | undefined {
  if (!line.includes(method)) return undefined
  const message = structureIn(line)
  return isJsonObject(message) && message.method === method && isJsonObject(message.params) ? message.params : undefined
}

const [newline, brace] = [0x0a, 0x7b]
