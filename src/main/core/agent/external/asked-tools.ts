import type { JsonObject } from '#shared/base/json.ts'
import type { McpResult } from '../../ports/mcp-client.ts'

/** A call of one of our tools that an external agent waits for. */
export interface AskedCall {
  readonly name: string
  readonly input: JsonObject
  /** Aborts when the agent does not wait any more. */
  readonly signal: AbortSignal
  answer(result: McpResult): void
}

/** Calls in one turn. What runs in the agent's sandbox may call without end, and each call is kept in the journal. */
const mostCalls = 1_000

/** The calls of our tools that an external agent makes. The turn in which it makes them carries them out. */
export interface AskedTools {
  /** For the agent. Never rejects. */
  call(name: string, input: JsonObject, signal: AbortSignal): Promise<McpResult>
  /** Resolves to all that wait, as soon as one does. For the turn. */
  next(): Promise<readonly AskedCall[]>
  /** A turn begins, and with `dispose` it ends. What waits then, and what comes outside of a turn, is refused. */
  begin(): Disposable
}

export function createAskedTools(): AskedTools {
  let waiting: AskedCall[] = []
  let isOpen = false
  let made = 0
  let arrived = Promise.withResolvers<void>()
  return {
    call(name, input, signal) {
      const { promise, resolve } = Promise.withResolvers<McpResult>()
      if (!isOpen) return Promise.resolve(outsideTurn)
      made += 1
      if (made > mostCalls) return Promise.resolve(tooMany)
      waiting.push({ name, input, signal, answer: resolve })
      arrived.resolve()
      return promise
    },
    async next() {
      await arrived.promise
      const taken = waiting
      waiting = []
      arrived = Promise.withResolvers()
      return taken
    },
    begin() {
      isOpen = true
      made = 0
      return {
        [Symbol.dispose]() {
          isOpen = false
          for (const { answer } of waiting) answer(outsideTurn)
          waiting = []
          arrived = Promise.withResolvers()
        },
      }
    },
  }
}

const refusal = (text: string): McpResult => ({ ok: false, content: [{ type: 'text', text }] })
const outsideTurn = refusal('The tools of Coppice can be called only while the agent answers a message.')
const tooMany = refusal(`More than ${mostCalls} calls in one turn. The next message begins another one.`)
