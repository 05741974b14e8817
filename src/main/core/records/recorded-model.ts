import { noUsage } from '#shared/model/models/usage.ts'
import type { RunReason, RunStatus } from '#shared/model/thread.ts'
import { plural } from '#shared/text/plural.ts'
import {
  type ModelClient,
  ModelError,
  type ModelReply,
  type ModelRequest,
  type RequestOrigin,
} from '../ports/model-client.ts'
import type { Difference } from './difference.ts'
import type { LineOf, ThreadRecord } from './record-format.ts'

type Answer = LineOf<'reply' | 'summary' | 'grade' | 'error' | 'end'>

/** What a replay does around the answers of its model. */
export interface ReplayHooks {
  /** Called right before a reply is served, for what a person did while it was awaited. */
  beforeReply(agent: string, number: number): void
  /** The record ends here, or the run was stopped. Ends the runs that still wait for an answer. */
  stop(): void
  differ(difference: Difference): void
  /** Gives names that are others in every run, such as a thread's id, their present form. */
  rename(text: string): string
}

/** The models of a record. They answer each agent as they did then, whatever it says. */
export interface RecordedModel {
  readonly client: ModelClient
  /** Set before anything is asked. */
  hooks: ReplayHooks
  /** Call when the run of an agent starts. */
  takeStart(agent: string): void
  /** Call when a call of an agent starts. Ends the run if it was stopped during this call. */
  takeCall(agent: string, call: number): void
  /** Call when the run of an agent has ended. */
  takeEnd(agent: string, end: { readonly status: RunStatus; readonly reason: RunReason }): void
  /** True while an agent has answers that were not asked for. Without `agent`: any agent. */
  hasLeft(agent?: string): boolean
  /** The first agent that was not asked for all that is recorded of it; undefined for none. */
  findLeft(): Difference | undefined
}

/** A record, and the models that answer from it. */
export interface ReplaySource {
  readonly record: ThreadRecord
  readonly model: RecordedModel
}

const noHooks: ReplayHooks = { beforeReply: () => {}, stop: () => {}, differ: () => {}, rename: (text) => text }

export function createRecordedModel({ lines }: ThreadRecord): RecordedModel {
  const answers = answersByAgent(lines)
  const wasCut = answers.get('main')?.at(-1)?.kind !== 'end'
  const given = new Map<string, number>()
  const running = new Set<string>()
  const waiting = new Set<string>()
  let isOver = false

  const headOf = (agent: string): Answer | undefined => answers.get(agent)?.[0]
  const stepOf = (agent: string): number => given.get(agent) ?? 0
  const differ = (difference: Difference): ModelError => {
    isOver = true
    model.hooks.differ(difference)
    return new ModelError('bad_request', difference.message)
  }

  /** Others may still have answers to come, so the stop waits for them. */
  const stopWhenAllWait = (): void => {
    if (waiting.size > 0 && [...running].every((agent) => isSpent(headOf(agent)))) model.hooks.stop()
  }
  const untilStopped = async (agent: string, signal: AbortSignal): Promise<never> => {
    const aborted = Promise.withResolvers<never>()
    signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
    waiting.add(agent)
    stopWhenAllWait()
    return await aborted.promise.finally(() => waiting.delete(agent))
  }

  const answer = async (request: ModelRequest, origin: RequestOrigin, signal: AbortSignal): Promise<ModelReply> => {
    const { agent, purpose } = origin
    if (isOver) throw new ModelError('bad_request', 'The replay has ended.')
    const own = answers.get(agent) ?? []
    while (own[0]?.kind === 'end' && isPause(own[0])) own.shift()
    const [next] = own
    if (purpose === 'summary') {
      if (next?.kind !== 'summary') return textReply('', noUsage)
      if (origin.isLast === false) return textReply('…', noUsage)
      own.shift()
      return textReply(next.text ?? '', next.usage)
    }
    if (next === undefined && wasCut) return await untilStopped(agent, signal)
    if (next?.kind === 'end' && isStop(next)) return await untilStopped(agent, signal)
    // The loop repeats some requests. They fail again, without a wait.
    if (next?.kind === 'error') throw new ModelError(next.code, next.message, 0)
    // A summary before the reply was made because the conversation had become too long.
    if (next?.kind === 'summary') throw new ModelError('context_window_exceeded', 'The conversation was too long.')
    // The last report of an agent without further replies may fail, and its run ends all the same.
    if (next?.kind === 'end' && request.toolChoice === 'none')
      throw new ModelError('bad_request', 'There was no last report.')
    if (purpose === 'grade') {
      if (next?.kind !== 'grade' || next.text === null)
        throw differ(asks(agent, stepOf(agent), 'asked for a verdict on its goal, which is not in the record'))
      own.shift()
      return textReply(next.text, next.usage)
    }
    const number = stepOf(agent) + 1
    if (next?.kind !== 'reply') throw differ(asks(agent, number - 1, moreThan(answers.has(agent), number)))
    if (next.number !== number)
      throw differ(asks(agent, number - 1, `asked for reply ${number}, which is missing from the record`))
    own.shift()
    given.set(agent, number)
    model.hooks.beforeReply(agent, number)
    const { content, stopReason } = next.message
    return { content: renameStrings(content, model.hooks.rename), stopReason, usage: next.usage }
  }

  const model: RecordedModel = {
    hooks: noHooks,
    client: {
      async *stream(request, signal) {
        signal.throwIfAborted()
        if (!request.origin) throw new ModelError('bad_request', 'A replay answers agents alone.')
        const reply = await answer(request, request.origin, signal)
        for (const part of reply.content)
          if (part.type === 'text' || part.type === 'thinking') yield { type: part.type, text: part.text }
        yield { type: 'reply', reply }
        stopWhenAllWait()
      },
      models: async () => [],
    },
    takeStart: (agent) => void running.add(agent),
    takeCall(agent, call) {
      const next = headOf(agent)
      if (next?.kind !== 'end' || !isStop(next) || !next.running.includes(call)) return
      waiting.add(agent)
      stopWhenAllWait()
    },
    takeEnd(agent, end) {
      running.delete(agent)
      waiting.delete(agent)
      const own = answers.get(agent) ?? []
      if (own[0]?.kind === 'error') own.shift()
      const [next] = own
      if (!isOver && next) {
        if (next.kind === 'end') own.shift()
        const difference = next.kind === 'end' ? endsOtherwise(agent, next, end) : stops(agent, stepOf(agent), next)
        if (difference) differ(difference)
      }
      stopWhenAllWait()
    },
    hasLeft: (agent) =>
      [...answers].some(([path, own]) => (agent === undefined || path === agent) && own.some(isFromModel)),
    findLeft() {
      if (isOver) return undefined
      const [left] = [...answers.values()].flatMap((own) => own.find(isFromModel) ?? [])
      return left && stops(left.agent, stepOf(left.agent), left)
    },
  }
  return model
}

function answersByAgent(lines: ThreadRecord['lines']): ReadonlyMap<string, Answer[]> {
  const answers = new Map<string, Answer[]>()
  for (const line of lines) {
    if (!isFromModel(line) && line.kind !== 'error' && line.kind !== 'end') continue
    const own = answers.get(line.agent) ?? []
    own.push(line)
    answers.set(line.agent, own)
  }
  return answers
}

function isFromModel(line: ThreadRecord['lines'][number]): line is LineOf<'reply' | 'summary' | 'grade'> {
  return line.kind === 'reply' || line.kind === 'summary' || line.kind === 'grade'
}

function isSpent(next: Answer | undefined): boolean {
  return next === undefined || next.kind === 'end'
}

/** The app was closed or its disk was full. A replay goes on. */
function isPause({ reason }: LineOf<'end'>): boolean {
  return reason === 'restart' || reason === 'storage'
}

/** A person ended it. */
function isStop({ reason }: LineOf<'end'>): boolean {
  return reason === 'user'
}

function textReply(text: string, usage: ModelReply['usage']): ModelReply {
  return { content: [{ type: 'text', text }], stopReason: 'end_turn', usage }
}

function moreThan(isKnown: boolean, number: number): string {
  if (!isKnown) return 'is not in the record, and asked for a reply'
  return `asked for reply ${number}, but the record has only ${plural(number - 1, 'reply', 'replies')} of this run`
}

function asks(agent: string, step: number, what: string): Difference {
  return { kind: 'asks', agent, step, message: `After step ${step}, ${agent} ${what}.` }
}

function stops(agent: string, step: number, next: Answer): Difference {
  const what = next.kind === 'reply' ? `reply ${next.number}` : next.kind === 'grade' ? 'a verdict' : 'a summary'
  return {
    ...{ kind: 'stops', agent, step },
    message: `${agent} ended after step ${step}. In the record it goes on: ${what} was not asked for.`,
  }
}

function endsOtherwise(
  agent: string,
  recorded: LineOf<'end'>,
  found: { readonly status: RunStatus; readonly reason: RunReason },
): Difference | undefined {
  if (isPause(recorded) || isStop(recorded)) return undefined
  if (recorded.status === found.status && recorded.reason === found.reason) return undefined
  const [expected, now] = [recorded, found].map(({ status, reason }) => `${status} (${reason})`)
  const message = `The run of ${agent} ended as ${now}. In the record it ended as ${expected}.`
  return { kind: 'end', agent, step: recorded.step, message, expected: String(expected), found: String(now) }
}

/** The same value with another form of each of its strings. */
function renameStrings<Value>(value: Value, rename: (text: string) => string): Value {
  if (typeof value === 'string') return rename(value) as Value
  if (Array.isArray(value)) return value.map((one) => renameStrings(one, rename)) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, renameStrings(one, rename)])) as Value
}
