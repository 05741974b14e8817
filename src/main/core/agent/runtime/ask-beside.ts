import type { JsonObject } from '#shared/base/json.ts'
import { failure, type Result, success } from '#shared/base/result.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import type { Usage } from '#shared/model/models/usage.ts'
import { agentPathOf } from '#shared/model/project-state.ts'
import { commitAlways } from '../../journal/project-log.ts'
import type { ModelRequest, RequestOrigin } from '../../ports/model-client.ts'
import { priceProblem } from '../delegation/budgets.ts'
import { type AskContext, askModel } from '../model/request-reply.ts'
import type { AgentServices } from '../types/services.ts'
import { summaryModel, type ThreadHooks } from './thread-context.ts'

/** One question to a model, about a thread. */
export interface Question {
  readonly purpose: Extract<RequestOrigin['purpose'], 'delivery' | 'grade'>
  readonly system: string
  readonly task: string
  /** JSON Schema of the answer. A server that does not know schemas gets none. */
  readonly outputSchema: JsonObject
  /** Tokens of the answer at most. */
  readonly maxTokens: number
}

/** What a model said. */
export interface Said {
  readonly text: string
  readonly model: string
  readonly usage: Usage
}

/** Asks a model about a thread. The error is a sentence. */
export type AskBeside = (threadId: ThreadId, question: Question, signal: AbortSignal) => Promise<Result<Said, string>>

/** A person waits, and can ask again. */
const mostTries = 2

/**
 * Asks a model for a person, beside the runs of a thread and within its budgets. What it cost is stored. The error is a sentence.
 * Throws the abort reason.
 */
export async function askBeside(
  services: AgentServices,
  threadId: ThreadId,
  { purpose, system, task, outputSchema, maxTokens }: Question,
  hooks: Pick<ThreadHooks, 'reservations' | 'waits'>,
  signal: AbortSignal,
): Promise<Result<Said, string>> {
  const { log, clock, settings } = services
  const thread = log.state.threads.get(threadId)
  if (!thread) return failure(`There is no thread ${threadId}.`)
  const model = summaryModel(services, thread)
  const problem = priceProblem(services, model)
  if (problem !== undefined) return failure(problem)
  const own = Symbol(purpose)
  const { reservations } = hooks
  const { retry, maxTokens: most } = settings()
  const context: AskContext = {
    models: { clientOf: services.modelFor, gateFor: services.gateFor },
    retry: { ...retry, attempts: Math.min(retry.attempts, mostTries) },
    reserve: (request, signal) => reservations.reserve(threadId, request, signal, own),
    waits: {
      retried: (own) => hooks.waits.retried(threadId, own),
      awake: (own) => hooks.waits.awake(threadId, own),
    },
    // The conversation shows its runs alone.
    live: () => undefined,
    clock,
    random: services.random,
  }
  const request: ModelRequest = {
    ...{ model, system, tools: [] },
    messages: [{ role: 'user', content: [{ type: 'text', text: task }] }],
    ...{ maxTokens: Math.min(most, maxTokens), temperature: null, effort: null, outputSchema },
    origin: { agent: agentPathOf(log.state, threadId), purpose },
  }
  try {
    const asked = await askModel(context, request, signal)
    if (!asked.ok) return failure(asked.error.message)
    const { usage, content } = asked.reply
    commitAlways(log, [{ type: 'usage', threadId, usage, model, for: purpose }])
    return success({ text: textOf(content), model, usage })
  } finally {
    reservations.ended(own)
  }
}
