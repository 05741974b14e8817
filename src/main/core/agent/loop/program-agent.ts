import type { JsonObject, JsonValue } from '#shared/base/json.ts'
import type { MessageId, ToolCallId } from '#shared/model/ids.ts'
import { type AssistantMessage, type Message, textOf } from '#shared/model/message.ts'
import type { CallState } from '#shared/model/thread.ts'
import { agentRequestTool } from '../../tools/delegate/agent-request.ts'
import { executeToolCalls } from '../calls/execute-calls.ts'
import { withCheckpoint } from '../model/request-reply.ts'
import type { AgentProgram } from '../types/agent-definition.ts'
import type { LoopContext, LoopSteps, RunEnd } from '../types/loop-context.ts'

/**
 * One run of an agent that is a program or a server instead of a model. Each message to it becomes one call of a tool,
 * which is approved, stored and resumed as any other, and the result of the call becomes its answer.
 */
export async function* runProgramAgent(
  context: LoopContext,
  program: AgentProgram,
  signal: AbortSignal,
): LoopSteps<RunEnd> {
  const last = context.thread().messages.at(-1)
  if (last?.role === 'user') {
    yield withCheckpoint(context, [{ type: 'message', message: callMessage(context, program) }])
    yield* executeToolCalls(context, signal)
  }
  const call = lastCall(context)
  if (!call) return done
  const answer = answerIn(call)
  if ('problem' in answer) return { status: 'failed', reason: 'model_error', message: answer.problem }
  const message: AssistantMessage = {
    role: 'assistant',
    messageId: context.nextId() as MessageId,
    content: [{ type: 'text', text: answer.text }],
    stopReason: 'end_turn',
  }
  yield withCheckpoint(context, [{ type: 'message', message }])
  return done
}

const done: RunEnd = { status: 'done', reason: 'completed', message: '' }

/** Seconds. A program of one's own may work for as long as a command may. */
const timeout = 3600

function callMessage(context: LoopContext, program: AgentProgram): AssistantMessage {
  const callId = `call_${context.nextId()}` as ToolCallId
  const message = JSON.stringify(requestOf(context))
  const [name, input] =
    program.kind === 'command'
      ? (['execute', { command: `printf '%s\\n' ${quote(message)} | ${program.command}`, timeout }] as const)
      : ([agentRequestTool, { url: program.url, message }] as const)
  return {
    role: 'assistant',
    messageId: context.nextId() as MessageId,
    content: [{ type: 'tool_call', callId, name, input }],
    stopReason: 'tool_use',
  }
}

/** `{task, context}`: the newest message, and what the quarantine lets the agent see besides. */
function requestOf({ thread, inherited }: LoopContext): JsonObject {
  const { agent, contextScope, messages, todos } = thread()
  const spoken = messages.filter(({ role }) => role === 'user').map(wordsOf)
  return {
    task: spoken.at(contextScope === 'scoped' ? 0 : -1) ?? '',
    context: {
      version: 'v1',
      agent,
      scope: contextScope,
      todos: todos.map(({ content, status }) => ({ content, status })),
      ...(contextScope === 'scoped' && { state: spoken[1] ?? null }),
      messages: inherited.flatMap(({ role, content }): JsonValue[] => {
        const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
        return text === '' ? [] : [{ role, text }]
      }),
    },
  }
}

function wordsOf(message: Message): string {
  return textOf(message.content)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** The call whose result is the answer to the newest message; undefined when it was answered. */
function lastCall({ thread }: LoopContext): CallState | undefined {
  const { messages, calls } = thread()
  const last = messages.at(-1)
  const [part] = last?.role === 'assistant' ? last.content : []
  return part?.type === 'tool_call' ? calls.get(part.callId) : undefined
}

/** The last line of the output that is a result or an error. Other lines are events, or what the program printed. */
function answerIn({ result }: CallState): { readonly text: string } | { readonly problem: string } {
  const output = result?.content.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
  if (result?.outcome === 'rejected' || result?.outcome === 'cancelled') return { problem: output }
  for (const line of output.split('\n').reverse()) {
    const spoken = parseObject(line)
    if (typeof spoken?.error === 'string') return { problem: spoken.error }
    if (spoken && 'result' in spoken)
      return { text: typeof spoken.result === 'string' ? spoken.result : JSON.stringify(spoken.result, null, 2) }
  }
  return { problem: `It ended without a line {"result": …}. ${output.trim().slice(-1_000)}` }
}

function parseObject(line: string): JsonObject | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as JsonObject
  } catch {
    return undefined
  }
}
