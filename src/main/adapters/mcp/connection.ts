import type { Client } from '@modelcontextprotocol/client'
import {
  type McpCallHooks,
  type McpConnection,
  McpError,
  type McpPrompt,
  type McpResource,
} from '#core/ports/mcp-client.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { toMcpError } from './mcp-errors.ts'
import { toResult } from './read-content.ts'
import { promptText } from './server-prompts.ts'
import { type Ask, answerQuestions } from './server-questions.ts'
import { resourceParts } from './server-resources.ts'
import type { Problems, ToolList } from './tool-list.ts'

interface ConnectionParts {
  readonly list: ToolList
  readonly prompts: readonly McpPrompt[]
  readonly resources: readonly McpResource[]
  /** What of the prompts and the resources cannot be used, in sentences. */
  readonly leftOut: readonly string[]
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
  const { list, prompts, resources, told, leftOut, callMs, closed, onRefused, errorOutput } = parts
  const problems = () => [...told.all(), ...leftOut]
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
  /** The calls that run, the latest last. A server does not say about which one it asks. */
  const running = new Set<RunningCall>()
  const begin = (hooks: McpCallHooks) => {
    const call = startCall(callMs, hooks)
    running.add(call)
    const end = () => {
      running.delete(call)
      call[Symbol.dispose]()
    }
    return { ...call, [Symbol.dispose]: end }
  }
  answerQuestions(client, () => [...running].findLast(({ ask: asks }) => asks !== undefined)?.ask)
  return {
    get tools() {
      return list.current()
    },
    prompts,
    resources,
    get problems() {
      return problems()
    },
    closed,
    errorOutput: () => [...problems(), errorOutput()].join('\n').trimEnd(),
    call: (name, args, signal, hooks = {}) =>
      ask(signal, async () => {
        using call = begin(hooks)
        const stop = AbortSignal.any([signal, call.late])
        const onprogress = sayProgress(hooks.onProgress, call.hear)
        try {
          return toResult(
            await client.callTool({ name, arguments: args }, { signal: stop, timeout: longestCallMs, onprogress }),
          )
        } catch (error) {
          call.late.throwIfAborted()
          throw error
        }
      }),
    promptText: (name, args, signal) =>
      ask(signal, async () =>
        promptText(await client.getPrompt({ name, arguments: { ...args } }, { signal, timeout: callMs })),
      ),
    readResource: (uri, signal) =>
      ask(signal, async () => resourceParts(await client.readResource({ uri }, { signal, timeout: callMs }))),
    async [Symbol.asyncDispose]() {
      list[Symbol.dispose]()
      await client.close()
    },
  }
}

interface RunningCall extends Disposable {
  /** Aborted with `McpError` `timed_out` when the server says nothing for too long. */
  readonly late: AbortSignal
  /** The server said something. */
  readonly hear: () => void
  /** Undefined where nobody can be asked. */
  readonly ask: Ask
}

/** Counts the time of a call. It stands still while a person is asked. */
function startCall(callMs: number, { onQuestion }: McpCallHooks): RunningCall {
  const late = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let asking = 0
  const hear = () => {
    clearTimeout(timer)
    if (asking === 0) timer = setTimeout(() => late.abort(new McpError('timed_out', tooLate(callMs))), callMs)
  }
  hear()
  return {
    late: late.signal,
    hear,
    ask:
      onQuestion &&
      (async (question, signal) => {
        asking += 1
        hear()
        try {
          return await onQuestion(question, signal)
        } finally {
          asking -= 1
          hear()
        }
      }),
    [Symbol.dispose]() {
      asking += 1
      clearTimeout(timer)
    },
  }
}

function tooLate(milliseconds: number): string {
  return `The server did not answer within ${milliseconds / 1000} s.`
}

/** Milliseconds between two lines of progress. A server may send thousands in a second. */
const progressMs = 200
/** Characters of one line. */
const progressLength = 200

function sayProgress(say: McpCallHooks['onProgress'], hear: () => void) {
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
    hear()
    const now = performance.now()
    if (now < next) return
    next = now + progressMs
    const place = total === undefined ? `${progress}` : `${progress} of ${total}`
    say?.(oneLine(beginningOf(message === undefined ? place : `${place}: ${message}`, progressLength)))
  }
}
