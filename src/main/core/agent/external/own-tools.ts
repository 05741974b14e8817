import { type Call, resultOf } from '#shared/model/calls/call.ts'
import type { MessageId, ToolCallId } from '#shared/model/ids.ts'
import type { ToolCallPart, ToolResult } from '#shared/model/message.ts'
import { textOf } from '#shared/model/message.ts'
import { openCalls } from '#shared/model/thread.ts'
import { noticeEntry, steerNoticeEntry } from '../../journal/notices.ts'
import type { McpResult, McpTool } from '../../ports/mcp-client.ts'
import type { ExternalCall } from '../../ports/programs/external-agent.ts'
import type { LoopSteps } from '../calls/call-context.ts'
import { executeToolCalls } from '../calls/execute-calls.ts'
import type { LoopContext } from '../types/loop-context.ts'
import { isAskable } from './askable-tools.ts'
import type { AskedCall } from './asked-tools.ts'
import { callPart } from './turn-messages.ts'

/** Our tools as the agent is told of them. */
export function listOwnTools({ tools, toolSpecs }: Pick<LoopContext, 'tools' | 'toolSpecs'>): readonly McpTool[] {
  return toolSpecs.filter(({ name }) => tools.some((tool) => tool.name === name))
}

/** True for a call that the agent tells of, and that is a call of our tools: those are calls of the thread already. */
export function isOwnTool({ title, kind }: ExternalCall): boolean {
  const named = /^(?:mcp[_ ]+)?coppice(?:__|[_.:/ -]+)(\w+)\b/.exec(title)
  return kind === 'other' && named?.[1] !== undefined && isAskable(named[1])
}

/** Calls of our tools, as the message that makes them has them. */
export function partsOf(context: LoopContext, asked: readonly AskedCall[]): readonly ToolCallPart[] {
  return asked.map(({ name, input }) => callPart(`call_${context.nextId()}` as ToolCallId, name, input))
}

/**
 * Carries out calls that the last message makes, and answers them. A result that the agent does not wait for any more is
 * told to it as a message.
 */
export async function* answerAsked(
  context: LoopContext,
  asked: readonly AskedCall[],
  parts: readonly ToolCallPart[],
  signal: AbortSignal,
  beforeAnswer: () => Promise<void>,
): LoopSteps {
  try {
    yield* executeToolCalls(context, signal)
    await beforeAnswer()
  } finally {
    for (const [index, { callId }] of parts.entries()) {
      const call = context.thread().calls.get(callId)
      asked[index]?.answer(mcpResult(call && resultOf(call)))
    }
  }
  const late = parts.filter((_, index) => asked[index]?.signal.aborted)
  if (late.length === 0) return
  const text = lateText(late.flatMap(({ callId }) => context.thread().calls.get(callId) ?? []))
  yield [steerNoticeEntry(context.nextId() as MessageId, text, { kind: 'late_results' })]
}

function mcpResult(result: ToolResult | null | undefined): McpResult {
  if (!result) return { ok: false, content: [{ type: 'text', text: 'The run was stopped before the call ended.' }] }
  return { ok: result.outcome === 'ok', content: result.content }
}

/**
 * After a crash, carries out what the agent asked for then, and tells it the results: it has lost its calls, and subagents
 * that it started go on.
 */
export async function* finishLostAsked(context: LoopContext, signal: AbortSignal): LoopSteps {
  const open = openCalls(context.thread())
  if (open.length === 0 || !open.every(({ name }) => isAskable(name))) return
  yield* executeToolCalls(context, signal)
  const ended = open.flatMap(({ callId }) => context.thread().calls.get(callId) ?? [])
  yield [noticeEntry(context.nextId() as MessageId, lateText(ended), { kind: 'late_results' })]
}

function lateText(calls: readonly Call[]): string {
  const told = calls.map((call) => `${call.name}: ${textOf(resultOf(call)?.content ?? [])}`)
  return `These calls of Coppice’s tools ended after you stopped to wait for them:\n\n${told.join('\n\n')}`
}
