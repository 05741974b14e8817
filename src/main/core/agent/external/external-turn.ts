import { ticks } from '#shared/base/clock.ts'
import type { Call } from '#shared/model/calls/call.ts'
import type { MessageId, ToolCallId } from '#shared/model/ids.ts'
import { noUsage } from '#shared/model/models/usage.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { AgentUpdate, ExternalCall, PermissionOption, PlanStep } from '../../ports/programs/external-agent.ts'
import type { Tool } from '../../tools/tool.ts'
import type { LoopSteps } from '../calls/call-context.ts'
import { answerEntry } from '../calls/finish-call.ts'
import { startEntry } from '../calls/run-call.ts'
import type { LoopContext } from '../types/loop-context.ts'
import type { AskedCall } from './asked-tools.ts'
import { pathBelow, type RequestedCall, requestedCall } from './external-calls.ts'
import type { ExternalSession } from './external-sessions.ts'
import { answerAsked, isOwnTool, partsOf } from './own-tools.ts'
import { givePermission, optionFor, type Permission } from './permission.ts'
import { storeCall } from './store-changes.ts'
import { callPart, createTurnMessages, type TurnMessages } from './turn-messages.ts'

interface KnownCall {
  readonly callId: ToolCallId
  /** By `ticks`. */
  readonly startedAt: number
  /** What rules and hooks judge of it. */
  readonly judged: string
  /** Characters of its output that were shown. */
  shown: number
  /** The answer when it asked for permission. Null before it did. */
  isAllowed: boolean | null
  /** True when its result is stored. */
  isOver: boolean
}

/** What is known of a turn of an external agent while it goes on. */
export interface ExternalTurn {
  readonly context: LoopContext
  readonly session: ExternalSession
  readonly signal: AbortSignal
  readonly messages: TurnMessages
  /** The calls that the journal knows, by the ids of its session. */
  readonly known: Map<string, KnownCall>
  /** The newest call, as long as the agent may still say what it is. */
  vague: ExternalCall | null
  /** Tokens that the conversation holds, as the agent told it last. Null before. */
  held: number | null
  /** The newest plan that is not stored. */
  plan: readonly PlanStep[] | null
  /** How many plans of this turn are stored. */
  plans: number
}

/** Plans of one turn that are entries of their own. Of more, only the last one is. */
const mostPlans = 200

export function beginTurn(context: LoopContext, session: ExternalSession, signal: AbortSignal): ExternalTurn {
  const messages = createTurnMessages(context, context.thread().agentType)
  return { context, session, signal, messages, known: new Map(), vague: null, held: null, plan: null, plans: 0 }
}

/** Stores or shows what the agent says. */
export async function* takeUpdate(turn: ExternalTurn, update: Exclude<AgentUpdate, { type: 'end' }>): LoopSteps {
  switch (update.type) {
    case 'text':
    case 'thinking':
      yield* settleVague(turn)
      turn.messages.add(update.type, update.text)
      return
    case 'call':
      yield* takeCall(turn, update.call)
      return
    case 'permission':
      yield* takePermission(turn, update)
      return
    case 'plan':
      turn.plan = update.steps
      if (turn.plans < mostPlans) yield* storePlan(turn)
      return
    case 'notice':
      turn.messages.add('text', `\n\n> ${update.text}\n\n`)
      return
    case 'usage':
      turn.held = update.used
      turn.session.keepWindow(update.size)
      yield* storeCost(turn, update.cost)
  }
}

/**
 * Stores the last message, the calls that have no end, and what was changed beside all calls. `isCut`: the agent would have
 * gone on.
 */
export async function* finishTurn(turn: ExternalTurn, isCut: boolean): LoopSteps {
  const { context, known, messages } = turn
  yield* settleVague(turn)
  for (const one of known.values()) {
    if (one.isOver) continue
    yield* start(turn, one)
    yield* store(turn, one, 'ok', noEnd)
  }
  yield* storeBeside(turn)
  yield* storePlan(turn)
  yield* storeHeld(turn)
  // What it said last is its answer.
  const last = messages.take(isCut)
  if (last) yield context.withCheckpoint([{ type: 'message', message: last }])
}

/** An agent repeats its plan with every step of it: what the board shows already is no entry. */
async function* storePlan(turn: ExternalTurn): LoopSteps {
  const { plan: todos, context } = turn
  turn.plan = null
  if (!todos || JSON.stringify(todos) === JSON.stringify(context.thread().todos)) return
  turn.plans += 1
  yield [{ type: 'todos.written', todos, by: 'agent' }]
}

/**
 * Stores what was spent since the agent told it last: it tells the sum of its conversation, and nothing of tokens. What a
 * conversation had cost before it was gone on with is known already.
 */
async function* storeCost({ context, session, held }: ExternalTurn, cost: number | null): LoopSteps {
  session.paid ??= cost
  if (cost === null || session.paid === null || cost <= session.paid) return
  const usage = { ...noUsage, modelCalls: 1, cost: cost - session.paid }
  session.paid = cost
  yield [{ type: 'usage', usage, model: context.thread().model, ...(held !== null && { held }) }]
}

/** An agent reports this with every request. Only the value at the end of the turn is stored. */
async function* storeHeld({ context, held }: ExternalTurn): LoopSteps {
  const { contextTokens, model } = context.thread()
  if (held !== null && held !== contextTokens) yield [{ type: 'usage', usage: noUsage, model, held }]
}

const noEnd = 'The agent did not say how it ended.'

function requireCall({ context }: ExternalTurn, callId: ToolCallId): Call {
  const call = context.thread().calls.get(callId)
  if (!call) throw new Error(`There is no call ${callId}.`)
  return call
}

/** Carries out calls of our tools, on top of what the agent has done so far, and shows it what they changed. */
export async function* takeAsked(turn: ExternalTurn, asked: readonly AskedCall[]): LoopSteps {
  const { context, session, signal, messages } = turn
  yield* settleVague(turn)
  yield* storeBeside(turn)
  const parts = partsOf(context, asked)
  yield context.withCheckpoint([{ type: 'message', message: messages.withCalls(parts) }])
  yield* answerAsked(context, asked, parts, signal, () => session.follow(signal))
}

async function* takeCall(turn: ExternalTurn, call: ExternalCall): LoopSteps {
  if (isOwnTool(call)) return
  yield* settleOther(turn, call)
  if (!turn.known.has(call.id) && call.status === 'pending') {
    turn.vague = call
    return
  }
  const one = yield* begin(turn, call)
  if (one.isOver) return
  yield* start(turn, one)
  const output = call.output.slice(one.shown)
  one.shown = call.output.length
  if (call.status !== 'completed' && call.status !== 'failed') {
    if (output !== '') turn.context.live({ type: 'tool.output', callId: one.callId, text: output })
    return
  }
  const outcome = call.status === 'completed' ? 'ok' : 'error'
  yield* store(turn, one, outcome, call.output, belongsToOther(turn, call))
  await turn.session.follow(turn.signal)
}

async function* takePermission(
  turn: ExternalTurn,
  { call, options, answer, gone }: Extract<AgentUpdate, { type: 'permission' }>,
): LoopSteps {
  const { context, session, signal } = turn
  try {
    // What it does is judged as the call of our tool.
    if (isOwnTool(call)) answer(optionFor(options, true))
    if (isOwnTool(call)) return
    yield* settleOther(turn, call)
    const asked = requestedCall(call, session.folder)
    yield* endWhenOther(turn, call, asked)
    const one = yield* begin(turn, call)
    if (one.isAllowed !== null) {
      answer(optionFor(options, one.isAllowed))
      return
    }
    const { tool } = asked
    const asking = requireCall(turn, one.callId)
    const permission = yield* askWhileItWaits(context, asking, tool, { options, signal, gone })
    const isAllowed = permission.kind === 'allowed'
    one.isAllowed = isAllowed
    if (isAllowed) yield* start(turn, one)
    else {
      one.isOver = true
      const text = `It was not allowed. ${permission.reason}`
      yield context.withCheckpoint([answerEntry(context, requireCall(turn, one.callId), 'rejected', text)])
    }
    answer(permission.answer ?? optionFor(options, isAllowed))
  } finally {
    // After a first answer this does nothing.
    answer(null)
  }
}

/** A card whose agent has ended, or takes its question back, goes away. */
async function* askWhileItWaits(
  context: LoopContext,
  call: Call,
  tool: Tool,
  { signal, gone, options }: { readonly options: readonly PermissionOption[] } & Record<'signal' | 'gone', AbortSignal>,
): LoopSteps<Permission> {
  try {
    return yield* givePermission(context, call, tool, { options, signal: AbortSignal.any([signal, gone]) })
  } catch (error) {
    if (signal.aborted || !gone.aborted) throw error
    return { kind: 'refused', reason: 'The agent did not wait for the answer.', answer: null }
  }
}

/** An agent that asks for something else than it said, asks for another call: what the journal has is what is judged. */
async function* endWhenOther(turn: ExternalTurn, call: ExternalCall, asked: RequestedCall): LoopSteps {
  const there = turn.known.get(call.id)
  if (!there || there.judged === judgedOf(asked)) return
  if (!there.isOver) {
    yield* start(turn, there)
    yield* store(turn, there, 'ok', 'The agent asked for something else instead.', belongsToOther(turn, call))
  }
  turn.known.delete(call.id)
}

/** All but its title: hooks judge what its tool is given, too. */
function judgedOf({ tool, input: { title: _title, ...given } }: RequestedCall): string {
  return JSON.stringify([tool.name, given])
}

/** Stores that the agent makes the call. */
async function* begin(turn: ExternalTurn, call: ExternalCall): LoopSteps<KnownCall> {
  const { context, session, messages, known } = turn
  const there = known.get(call.id)
  if (there) return there
  turn.vague = null
  const callId = `call_${context.nextId()}` as ToolCallId
  const requested = requestedCall(call, session.folder)
  const { tool, input } = requested
  const one = knownCall(turn, callId, judgedOf(requested))
  known.set(call.id, one)
  session.calls.add(callId)
  yield [{ type: 'message', message: messages.withCalls([callPart(callId, tool.name, input)]) }]
  return one
}

function knownCall({ context }: ExternalTurn, callId: ToolCallId, judged: string): KnownCall {
  return { callId, startedAt: ticks(context.clock), judged, shown: 0, isAllowed: null, isOver: false }
}

async function* settleVague(turn: ExternalTurn): LoopSteps {
  if (turn.vague !== null) yield* begin(turn, turn.vague)
}

async function* settleOther(turn: ExternalTurn, { id }: ExternalCall): LoopSteps {
  if (turn.vague?.id !== id) yield* settleVague(turn)
}

async function* start(turn: ExternalTurn, one: KnownCall): LoopSteps {
  const call = requireCall(turn, one.callId)
  if (call.startedAt === null && call.state.kind !== 'finished') yield [startEntry(call)]
}

async function* store(
  turn: ExternalTurn,
  one: KnownCall,
  outcome: 'ok' | 'error',
  text: string,
  waits?: (path: VirtualPath) => boolean,
): LoopSteps {
  const { context, session, signal } = turn
  one.isOver = true
  const ended = { call: requireCall(turn, one.callId), outcome, text, startedAt: one.startedAt }
  yield* storeCall(context, session, ended, signal, waits)
}

/**
 * An agent goes on before its call is stored. What only a later call names is a change of that one. Which ones there are is
 * asked after the look, because the agent goes on while that lasts, and tells of a call before it makes it.
 */
function belongsToOther({ session, known }: ExternalTurn, { id, paths }: ExternalCall): (path: VirtualPath) => boolean {
  const below = (all: readonly string[]) => new Set(all.flatMap((path) => pathBelow(path, session.folder) ?? []))
  const own = below(paths)
  const isLater = (other: ExternalCall) => other.id !== id && known.get(other.id)?.isOver !== true
  let others: ReadonlySet<VirtualPath> | undefined
  return (path) => {
    others ??= below(session.agent.calls().flatMap((other) => (isLater(other) ? other.paths : [])))
    return others.has(path) && !own.has(path)
  }
}

/** Changes that belong to no call, as an agent makes that does not tell of one. */
async function* storeBeside(turn: ExternalTurn): LoopSteps {
  const { context, session, known } = turn
  const seen = await session.view.look()
  if (seen === null) return
  if (seen.kept.kind === 'kept' && seen.kept.own.length === 0 && seen.notKept.length === 0) return
  const callId = `call_${context.nextId()}` as ToolCallId
  session.calls.add(callId)
  const one = knownCall(turn, callId, '')
  known.set(callId, one)
  const content = [callPart(callId, 'agent_edit', { title: 'Changed files beside its calls' })]
  const messageId = context.nextId() as MessageId
  yield [{ type: 'message', message: { role: 'assistant', messageId, content, stopReason: 'tool_use' } }]
  yield* start(turn, one)
  yield* store(turn, one, 'ok', '')
}
