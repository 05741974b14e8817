import type { JsonObject, JsonValue } from '#shared/base/json.ts'
import { type Call, resultOf } from '#shared/model/calls/call.ts'
import type { MessageId, ToolCallId } from '#shared/model/ids.ts'
import { type AssistantMessage, type Message, type MessageOrigin, textOf } from '#shared/model/message.ts'
import { openCalls, type ThreadState } from '#shared/model/thread.ts'
import { tailOf } from '#shared/text/whole-characters.ts'
import { agentRequestTool } from '../../tools/delegate/agent-request.ts'
import { failureIn, takingInput } from '../../tools/run/execute.ts'
import type { LoopSteps } from '../calls/call-context.ts'
import { executeToolCalls } from '../calls/execute-calls.ts'
import type { JsonProgram } from '../types/agent-definition.ts'
import type { LoopContext, RunEnd } from '../types/loop-context.ts'

/**
 * One run of an agent that is a program or a server instead of a model. Each message to it becomes one call of a tool,
 * which is approved, stored and resumed as any other, and the result of the call becomes its answer. Messages that come
 * meanwhile are answered before the run ends, one after the other.
 */
export async function* runProgramAgent(
  context: LoopContext,
  program: JsonProgram,
  signal: AbortSignal,
): LoopSteps<RunEnd> {
  const own = { ...context, tools: context.tools.map((tool) => (tool.name === 'execute' ? takingInput(tool) : tool)) }
  const wasSettled = openCalls(context.thread()).length === 0
  yield* executeToolCalls(own, signal)
  // A run that continues after a failure starts the program again, as nothing else could come of it.
  let asks = hasOpenTask(context.thread()) || (wasSettled && hasFailed(context.thread()))
  while (true) {
    signal.throwIfAborted()
    if (asks) {
      const spent = context.spentBudget()
      if (spent !== undefined) return { status: 'stopped', reason: 'budget', message: spent }
      yield context.withCheckpoint([{ type: 'message', message: callMessage(context, program) }])
      yield* executeToolCalls(own, signal)
    }
    const answer = answerIn(lastCall(context.thread()))
    if (answer && 'problem' in answer) return { status: 'failed', reason: 'model_error', message: answer.problem }
    if (answer) yield context.withCheckpoint([{ type: 'message', message: replyMessage(context, answer.text) }])
    if (!context.thread().queue.some(isTask)) {
      const misfit = context.answerProblem()
      if (misfit === null) return done
      return { status: 'failed', reason: 'invalid_answer', message: `The answer does not fit the schema: ${misfit}` }
    }
    yield* deliverNext(context)
    asks = true
  }
}

const done: RunEnd = { status: 'done', reason: 'completed', message: '' }

/** Seconds. A program of one's own may work for as long as a command may. */
const timeout = 3600

function isTask({ origin }: { readonly origin: MessageOrigin }): boolean {
  return origin !== 'notice'
}

/** True when nothing was started for the newest task. */
function hasOpenTask({ messages }: ThreadState): boolean {
  const replied = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages.slice(replied + 1).some((message) => message.role === 'user' && isTask(message))
}

function hasFailed(thread: ThreadState): boolean {
  const answer = answerIn(lastCall(thread))
  return answer !== undefined && 'problem' in answer
}

/** Adds the next task from the queue to the conversation, and the notices before it. */
async function* deliverNext({ thread }: LoopContext): LoopSteps {
  const { queue } = thread()
  yield queue.slice(0, queue.findIndex(isTask) + 1).map(({ delivery: _, ...message }) => ({
    type: 'message',
    message: { role: 'user', ...message },
  }))
}

function callMessage(context: LoopContext, program: JsonProgram): AssistantMessage {
  const callId = `call_${context.nextId()}` as ToolCallId
  const message = JSON.stringify(requestOf(context))
  const [name, input] =
    program.kind === 'command'
      ? (['execute', { command: program.command, input: `${message}\n`, timeout }] as const)
      : ([agentRequestTool, { url: program.url, message }] as const)
  return {
    role: 'assistant',
    messageId: context.nextId() as MessageId,
    content: [{ type: 'tool_call', callId, name, input }],
    stopReason: 'tool_use',
  }
}

function replyMessage(context: LoopContext, text: string): AssistantMessage {
  return {
    role: 'assistant',
    messageId: context.nextId() as MessageId,
    content: [{ type: 'text', text }],
    stopReason: 'end_turn',
  }
}

/** `{task, context}`: the newest task, and what the quarantine lets the agent see besides. */
function requestOf({ thread, inherited }: LoopContext): JsonObject {
  const { agent, contextScope, messages, todos } = thread()
  const state = summaryIn(messages)
  const task = messages.findLast((message) => message.role === 'user' && isTask(message) && message !== state)
  return {
    task: task ? textOf(task.content) : '',
    context: {
      version: 'v1',
      agent,
      scope: contextScope,
      todos: todos.map(({ content, status }) => ({ content, status })),
      ...((contextScope === 'scoped' || state) && { state: state ? textOf(state.content) : null }),
      messages: inherited.flatMap(({ role, content }): JsonValue[] => {
        const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
        return text === '' ? [] : [{ role, text }]
      }),
    },
  }
}

/** The summary of the state that follows the first task of a subagent; undefined when it got none. */
function summaryIn([first, second]: readonly Message[]): Message | undefined {
  const fromParent = (message: Message | undefined) => message?.role === 'user' && message.origin === 'parent'
  if (!second || !fromParent(first) || !fromParent(second)) return undefined
  const { version, scope } = parseObject(textOf(second.content)) ?? {}
  return version === 'v1' && scope === 'scoped' ? second : undefined
}

/** The call whose result is the answer to the newest task; undefined when it was answered. */
function lastCall({ messages, calls }: ThreadState): Call | undefined {
  const last = messages.findLast(({ role }) => role === 'assistant')
  const [part] = last?.content ?? []
  return part?.type === 'tool_call' ? calls.get(part.callId) : undefined
}

/** The last line of the output that is a result or an error. Other lines are events, or what the program printed. */
function answerIn(call: Call | undefined): { readonly text: string } | { readonly problem: string } | undefined {
  if (!call) return undefined
  const { name } = call
  const result = resultOf(call)
  const output = result?.content.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
  if (result?.outcome !== 'ok') return { problem: output }
  const spoken = output
    .split('\n')
    .map(parseObject)
    .findLast((line) => typeof line?.error === 'string' || (line && 'result' in line))
  if (!spoken) return { problem: `It ended without a line {"result": …}. ${tailOf(output.trim(), 1_000)}` }
  if (typeof spoken.error === 'string') return { problem: spoken.error }
  const failure = name === 'execute' ? failureIn(output) : undefined
  if (failure !== undefined) return { problem: `It failed after its result. ${failure}` }
  return { text: typeof spoken.result === 'string' ? spoken.result : JSON.stringify(spoken.result, null, 2) }
}

function parseObject(line: string): JsonObject | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as JsonObject
  } catch {
    return undefined
  }
}
