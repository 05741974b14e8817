import { redact } from '#core/secrets/secrets.ts'
import type { Entry, EntryOf } from '#shared/model/entry.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { type AssistantMessage, textOf, toolCallsOf } from '#shared/model/message.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'

export type Attribute = string | number | boolean | readonly string[]

/** A finished span of OpenTelemetry. Times are milliseconds since the Unix epoch. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: 'internal' | 'client'
  readonly start: number
  readonly end: number
  readonly attributes: Readonly<Record<string, Attribute>>
  /** What went wrong, as a word. Null for a span that ended well. */
  readonly error: string | null
}

export interface SpanOptions {
  /** Hexadecimal digits of so many random bytes. */
  readonly randomId: (bytes: number) => string
  /** A thread as it is after the entry. */
  readonly findThread: (threadId: ThreadId) => Pick<ThreadState, 'agent' | 'agentType' | 'model' | 'parent'> | undefined
  /** The provider and the name that it knows for a model of a thread, by the conventions. */
  readonly describeModel: (model: string) => { readonly provider: string; readonly model: string }
  /** Whether the texts of messages and calls belong to the spans. Asked for each. */
  readonly withContent: () => boolean
}

/** Makes spans of what happened. */
export interface SpanMaker {
  /** Takes the next entry of the project, and returns the spans that it ends. */
  take(entry: Entry): readonly Span[]
}

interface OpenRun {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly start: number
  /** When the last thing before the next request happened. */
  since: number
  reply: AssistantMessage | null
  readonly said: string[]
  readonly calls: Map<ToolCallId, { readonly spanId: string; readonly start: number; readonly input: unknown }>
}

/** Characters of one text in a span. */
const longestText = 20_000

/**
 * Spans by the conventions for generative AI: `invoke_agent` for each run, and in it `chat` for each request to a model and
 * `execute_tool` for each call. A subagent's run is in the span of the call that started it. All of it is read from the journal, so a
 * request begins where what came before it in its thread ended. Runs that began before the first entry are left out.
 */
export function createSpans(options: SpanOptions): SpanMaker {
  const { randomId, findThread, withContent } = options
  const runs = new Map<ThreadId, OpenRun>()
  function begin({ threadId, at }: EntryOf<'run.started'>): void {
    const { parent = null } = findThread(threadId) ?? {}
    const above = parent === null ? undefined : runs.get(parent.threadId)
    runs.set(threadId, {
      traceId: above?.traceId ?? randomId(16),
      spanId: randomId(8),
      parentSpanId: (parent && above?.calls.get(parent.callId)?.spanId) ?? above?.spanId ?? null,
      ...{ start: at, since: at, reply: null, said: [], calls: new Map() },
    })
  }

  function takeInRun(run: OpenRun, entry: Entry): readonly Span[] {
    switch (entry.type) {
      case 'message':
        if (entry.message.role === 'assistant') run.reply = entry.message
        else {
          run.since = entry.at
          if (entry.message.role === 'user' && withContent()) run.said.push(textOf(entry.message.content))
        }
        return []
      case 'usage':
        return [chat(options, run, entry)]
      case 'tool.started':
        run.calls.set(entry.callId, { spanId: randomId(8), start: entry.at, input: entry.input })
        return []
      case 'tool.finished':
        return [called(options, run, entry)]
      case 'run.ended':
        runs.delete(entry.threadId)
        return end(options, run, entry)
      default:
        return []
    }
  }

  return {
    take(entry) {
      if (entry.type === 'run.started') begin(entry)
      const run = runs.get(entry.threadId)
      return run ? takeInRun(run, entry) : []
    },
  }
}

function spanIn(run: OpenRun, spanId: string, part: Omit<Span, 'traceId' | 'spanId' | 'parentSpanId'>): Span {
  return { traceId: run.traceId, spanId, parentSpanId: run.spanId, ...part }
}

/** A request that was answered. */
function chat(options: SpanOptions, run: OpenRun, { threadId, at, ...entry }: EntryOf<'usage'>): Span {
  const { describeModel, findThread, randomId } = options
  const answered = describeModel(entry.model)
  const asked = describeModel(entry.for === undefined ? (findThread(threadId)?.model ?? entry.model) : entry.model)
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = entry.usage
  const reply = entry.for === undefined ? run.reply : null
  const said = run.said.splice(0)
  run.reply = null
  const texts = reply && {
    'gen_ai.input.messages': contentOf(options, () => messagesJson('user', said, null)),
    'gen_ai.output.messages': contentOf(options, () => messagesJson('assistant', [textIn(reply)], reply.stopReason)),
  }
  const start = run.since
  run.since = at
  return spanIn(run, randomId(8), {
    ...{ name: `chat ${asked.model}`, kind: 'client', start, end: at, error: null },
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': answered.provider,
      'gen_ai.request.model': asked.model,
      'gen_ai.response.model': answered.model,
      'gen_ai.conversation.id': threadId,
      'gen_ai.usage.input_tokens': inputTokens + cacheReadTokens + cacheWriteTokens,
      'gen_ai.usage.output_tokens': outputTokens,
      'gen_ai.usage.cache_read.input_tokens': cacheReadTokens,
      'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens,
      ...(reply && { 'gen_ai.response.finish_reasons': [reply.stopReason] }),
      ...present(texts ?? {}),
    },
  })
}

/** A call that has a result. */
function called(
  options: SpanOptions,
  run: OpenRun,
  { at, callId, name: written, result, durationMs }: EntryOf<'tool.finished'>,
): Span {
  const started = run.calls.get(callId)
  const name = toolNameOf(written, started !== undefined)
  run.calls.delete(callId)
  run.since = at
  const error = result.outcome === 'ok' ? null : result.outcome
  return spanIn(run, started?.spanId ?? options.randomId(8), {
    ...{ name: `execute_tool ${name}`, kind: 'internal', start: started?.start ?? at - durationMs, end: at, error },
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': callId,
      'gen_ai.tool.type': 'function',
      ...(error !== null && { 'error.type': error }),
      ...present({
        'gen_ai.tool.call.arguments': contentOf(options, () => JSON.stringify(started?.input ?? {})),
        'gen_ai.tool.call.result': contentOf(options, () => textOf(result.content)),
      }),
    },
  })
}

/** The name of a tool that there is. A model may write anything in its place, and that is a text of a message. */
function toolNameOf(written: string, hasStarted: boolean): string {
  return Object.hasOwn(toolFacts, written) || (hasStarted && /^\w[\w-]{0,127}$/.test(written)) ? written : 'unknown'
}

/** The run itself, after the request that made it fail. */
function end(options: SpanOptions, run: OpenRun, entry: EntryOf<'run.ended'>): readonly Span[] {
  const { threadId, at, status, reason, cause } = entry
  const { agent: ownName = 'main', agentType = 'main', model = '' } = options.findThread(threadId) ?? {}
  // A subagent's own name is made of the words of its task.
  const agent = options.withContent() ? redact(ownName) : agentType
  const { provider, model: name } = options.describeModel(model)
  const error = status === 'failed' ? (cause ?? reason) : null
  const common = {
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': name,
    'gen_ai.conversation.id': threadId,
  }
  const asked =
    cause === undefined
      ? []
      : [
          spanIn(run, options.randomId(8), {
            ...{ name: `chat ${name}`, kind: 'client', start: run.since, end: at, error: cause },
            attributes: { 'gen_ai.operation.name': 'chat', ...common, 'error.type': cause },
          }),
        ]
  const { traceId, spanId, parentSpanId, start } = run
  return [
    ...asked,
    {
      ...{ traceId, spanId, parentSpanId, name: `invoke_agent ${agent}`, kind: 'internal', start, end: at, error },
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': agent,
        ...common,
        'coppice.run.end': `${status} ${reason}`,
        ...(error !== null && { 'error.type': error }),
      },
    },
  ]
}

/** Null where no texts are wanted. */
function contentOf({ withContent }: SpanOptions, text: () => string): string | null {
  return withContent() ? beginningOf(redact(text()), longestText) : null
}

function present(texts: Readonly<Record<string, string | null>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).filter((one): one is [string, string] => one[1] !== null))
}

function textIn(message: AssistantMessage): string {
  const texts = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const calls = toolCallsOf(message).map(({ name, input }) => `${name} ${JSON.stringify(input)}`)
  return [...texts, ...calls].join('\n')
}

function messagesJson(role: string, texts: readonly string[], finish: string | null): string {
  const messages = texts.map((text) => ({
    ...{ role, parts: [{ type: 'text', content: text }] },
    ...(finish !== null && { finish_reason: finish }),
  }))
  return JSON.stringify(messages)
}
