import type { Client } from '@modelcontextprotocol/client'
import type { McpConnection, McpPrompt } from '#core/ports/mcp-client.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { toMcpError } from './mcp-errors.ts'
import { toResult } from './read-content.ts'
import { promptText } from './server-prompts.ts'
import type { Problems, ToolList } from './tool-list.ts'

interface ConnectionParts {
  readonly list: ToolList
  readonly prompts: readonly McpPrompt[]
  /** What of the prompts cannot be used, in sentences. */
  readonly ofPrompts: readonly string[]
  readonly told: Problems
  readonly callMs: number
  readonly closed: Promise<string>
  /** Looks at why a request failed. */
  readonly onRefused: (error: unknown) => void
  readonly errorOutput: () => string
}

/** Milliseconds after which a call ends, however much it reports. */
const longestCallMs = 60 * 60_000

/** What is asked of a server once it is connected. */
export function createConnection(client: Client, parts: ConnectionParts): McpConnection {
  const { list, prompts, told, ofPrompts, callMs, closed, onRefused, errorOutput } = parts
  const problems = () => [...told.all(), ...ofPrompts]
  /** Throws `McpError`, and the abort reason. */
  const ask = async <Answer>(signal: AbortSignal, work: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      onRefused(error)
      throw toMcpError(error, 'closed', '')
    }
  }
  return {
    get tools() {
      return list.current()
    },
    prompts,
    get problems() {
      return problems()
    },
    closed,
    errorOutput: () => [...problems(), errorOutput()].join('\n').trimEnd(),
    call: (name, args, signal, onProgress) =>
      ask(signal, async () => {
        const request = { signal, timeout: callMs, resetTimeoutOnProgress: true, maxTotalTimeout: longestCallMs }
        const onprogress = sayProgress(onProgress)
        return toResult(await client.callTool({ name, arguments: args }, { ...request, onprogress }))
      }),
    promptText: (name, args, signal) =>
      ask(signal, async () =>
        promptText(await client.getPrompt({ name, arguments: { ...args } }, { signal, timeout: callMs })),
      ),
    async [Symbol.asyncDispose]() {
      list[Symbol.dispose]()
      await client.close()
    },
  }
}

/** Milliseconds between two lines of progress. A server may send thousands in a second. */
const progressMs = 200
/** Characters of one line. */
const progressLength = 200

function sayProgress(say: ((line: string) => void) | undefined) {
  let next = 0
  return ({
    progress,
    total,
    message,
  }: {
    progress: number
    total?: number | undefined
    message?: string | undefined
  }) => {
    const now = performance.now()
    if (now < next) return
    next = now + progressMs
    const place = total === undefined ? `${progress}` : `${progress} of ${total}`
    say?.(oneLine(beginningOf(message === undefined ? place : `${place}: ${message}`, progressLength)))
  }
}
