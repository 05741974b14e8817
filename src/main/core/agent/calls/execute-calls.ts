import { ticks } from '#shared/base/clock.ts'
import { type Call, isEndUnknown, isUnstarted, openOutcome } from '#shared/model/call.ts'
import type { EntryFromTool } from '#shared/model/entry.ts'
import type { InterruptId, MessageId } from '#shared/model/ids.ts'
import type { ActionRequest, Interrupt } from '#shared/model/interrupt.ts'
import type { ToolOutcome } from '#shared/model/message.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Gate, Question } from '../../approval/policy.ts'
import { steerNoticeEntry } from '../../journal/notices.ts'
import type { Tool } from '../../tools/tool.ts'
import { unsettledCalls } from '../context/conversation.ts'
import { withCheckpoint } from '../model/request-reply.ts'
import type { LoopContext, LoopSteps } from '../types/loop-context.ts'
import { carryOutHeld, denyByRule, holdCalls, holdIfAsked } from './hold-calls.ts'
import { effectsOfHeld, groundOf, onTopOf, withoutEffects } from './hold-run.ts'
import { createJudge, filesOfCommand, type Judge } from './judge-call.ts'
import {
  argumentProblems,
  argumentsOf,
  concludeCall,
  failOvertakenCall,
  finishCall,
  finishedEntry,
  isApproved,
  type RanCall,
  reviewCall,
  runCall,
} from './run-call.ts'
import { groupCalls, type PlannedCall } from './schedule.ts'
import { askedOutcome } from './unknown-outcome.ts'

interface GatedCall {
  readonly call: Call
  readonly tool: Tool
  readonly question: Question
  readonly files: Pick<ActionRequest, 'changedBefore' | 'scripts' | 'environment' | 'effects'>
}

/** The question about a held call whose gate has changed since it ran: its effects still wait for a person. */
function questionIn(gate: Gate | undefined): Question {
  if (gate?.kind === 'hold' || gate?.kind === 'ask') return gate
  return { rule: 'what it did waits for you', risk: 'low', allowed: ['approve', 'edit', 'reject'] }
}

/**
 * Gives every call of the last reply its result. Impossible calls are answered with an error, gated ones become one
 * interrupt, and ungated reads run at once. After the decisions the rest runs in the model's order. Only stored state
 * is read, so after a restart it continues where the process died. Calls derived from declared tasks are executed too.
 */
export async function* executeToolCalls(context: LoopContext, signal: AbortSignal): LoopSteps {
  while (unsettledCalls(context.thread()).length > 0) yield* executeOnePass(context, signal)
}

/** Each call is judged once. The judgement is used until something happens that could change it. */
async function* executeOnePass(context: LoopContext, signal: AbortSignal): LoopSteps {
  const judge = createJudge(context, signal)
  yield* askAboutUnknown(context)
  yield* answerImpossible(context, judge)
  yield* holdCalls(context, judge, signal)
  yield* raiseInterrupt(context, judge, signal)
  if (context.thread().interrupts.length > 0) {
    yield* runGroup(
      context,
      judge,
      plannedCalls(context, (call, tool) => tool.effect === 'read' && isUngated(call)),
      signal,
    )
    await context.untilDecided(signal)
    judge.forget()
    yield* answerImpossible(context, judge)
  }
  yield* answerDecided(context)
  for (const group of groupCalls(plannedCalls(context, () => true))) {
    if (!(await mayStillRun(judge, group))) return
    const [first] = group
    if (first?.tool.isHoldable) {
      // What waits for a person once more keeps the calls behind it waiting.
      if ((yield* runHoldable(context, judge, first, signal)) === 'held') return
    } else yield* runGroup(context, judge, group, signal)
    judge.forget()
  }
}

/**
 * A person may have changed the mode or the rules since the calls were judged. An earlier call may have redirected a
 * link.
 */
async function mayStillRun(judge: Judge, group: readonly PlannedCall[]): Promise<boolean> {
  for (const { call, tool } of group) {
    if (!isUnstarted(call)) continue
    const gate = await judge.gateOf(call, tool)
    if (gate.kind !== 'run' && gate.kind !== 'drop') return false
  }
  return true
}

function isUngated({ state }: Call): boolean {
  return state.kind === 'requested' || state.kind === 'running' || state.kind === 'kept back'
}

function toolOf(context: LoopContext, call: Call): Tool | undefined {
  return context.tools.find((tool) => tool.name === call.name)
}

/**
 * For calls that a rewind brought back as running, and for journals of older versions that do not say what a call may
 * do.
 */
async function* askAboutUnknown(context: LoopContext): LoopSteps {
  const unknown = unsettledCalls(context.thread()).filter(
    (call) =>
      call.state.kind === 'running' &&
      !isUnstarted(call) &&
      (isEndUnknown(call) || toolOf(context, call)?.effect === 'outside'),
  )
  if (unknown.length > 0) yield [askedOutcome(context.thread(), unknown, context.nextId())]
}

/** Answers unknown tools, wrong arguments and refused calls with an error. */
async function* answerImpossible(context: LoopContext, judge: Judge): LoopSteps {
  const answers: EntryFromTool[] = []
  for (const call of unsettledCalls(context.thread())) {
    const problem = await problemOf(context, judge, call)
    if (problem === undefined) continue
    answers.push(finishedEntry(context, call, 'error', [{ type: 'text', text: problem }], ticks(context.clock)))
  }
  if (answers.length > 0) yield withCheckpoint(context, answers)
}

async function problemOf(context: LoopContext, judge: Judge, call: Call): Promise<string | undefined> {
  if (isAboutItsOutcome(call)) return undefined
  const tool = toolOf(context, call)
  if (!tool) return `There is no tool named ${call.name}. Tools: ${context.tools.map(({ name }) => name).join(', ')}.`
  if (call.unreadable !== undefined)
    return `The arguments of ${call.name} were not one complete JSON object, so it did not run. They began: ${call.unreadable}\nSend the call again.`
  const parsed = tool.schema.safeParse(argumentsOf(call))
  if (!parsed.success) return `Invalid arguments for ${call.name}: ${argumentProblems(parsed.error.issues)}`
  // A person's approval stands. A person's edit is new to the rules, so it is judged.
  // The same goes for a held run: a rule that denies it now was there before anybody kept it.
  if (!isUnstarted(call) && call.decision?.type !== 'edit' && openOutcome(call) === null) return undefined
  const gate = await judge.gateOf(call, tool)
  return gate.kind === 'refuse' ? gate.message : undefined
}

/** True when the question is how the call ended. It has run before, so it does not matter whether it could run now. */
function isAboutItsOutcome({ state, decision }: Call): boolean {
  return (
    (state.kind === 'asking' && state.about.kind !== 'run') ||
    decision?.type === 'mark_done' ||
    decision?.type === 'skip'
  )
}

/** Makes one interrupt of all gated and held calls of the turn. It is stored before anyone sees it. */
async function* raiseInterrupt(context: LoopContext, judge: Judge, signal: AbortSignal): LoopSteps {
  const gated: GatedCall[] = []
  const changedBefore = new Set<VirtualPath>()
  let ground = groundOf(context)
  for (const call of unsettledCalls(context.thread())) {
    const tool = toolOf(context, call)
    if (!tool) continue
    const access = await judge.accessOf(call, tool)
    const gate = isUnstarted(call) || call.state.kind === 'kept back' ? await judge.gateOf(call, tool) : undefined
    if (call.state.kind === 'kept back') {
      const { outcome } = call.state
      const effects = await effectsOfHeld(context, outcome, ground.tree)
      const files = await filesOfCommand(
        context,
        { name: tool.name, command: access.command ?? '' },
        changedBefore,
        signal,
      )
      gated.push({ call, tool, question: questionIn(gate), files: { ...files, effects } })
      ground = onTopOf(ground, call.callId, outcome)
    } else if (gate?.kind === 'ask') {
      const { command } = access
      const files =
        command === null ? {} : await filesOfCommand(context, { name: tool.name, command }, changedBefore, signal)
      gated.push({ call, tool, question: gate, files })
    }
    if (gate?.kind !== 'refuse') for (const path of access.writes) changedBefore.add(path)
  }
  if (gated.length > 0) yield [{ type: 'interrupt.raised', interrupt: interruptOf(context, gated) }]
}

function interruptOf(context: LoopContext, gated: readonly GatedCall[]): Interrupt {
  return {
    id: context.nextId() as InterruptId,
    threadId: context.threadId,
    agent: context.thread().agent,
    action_requests: gated.map(({ call, tool, question, files }) => ({
      callId: call.callId,
      name: call.name,
      args: call.input,
      description: tool.describe(call.input),
      rule: question.rule,
      risk: question.risk,
      ...(question.riskReason !== undefined && { riskReason: question.riskReason }),
      ...(question.allowable === false && { allowable: question.allowable }),
      ...files,
    })),
    review_configs: gated.map(({ call, question }) => ({
      callId: call.callId,
      action_name: call.name,
      allowed_decisions: question.allowed,
    })),
  }
}

/**
 * Answers calls whose decision needs no run: a rejection, a reply to a question, or a person's word on an unknown
 * outcome.
 */
async function* answerDecided(context: LoopContext): LoopSteps {
  const answers = unsettledCalls(context.thread()).flatMap((call) => {
    const answer = answerIn(call)
    if (!answer) return []
    return [finishedEntry(context, call, answer.outcome, [{ type: 'text', text: answer.text }], ticks(context.clock))]
  })
  if (answers.length > 0) yield withCheckpoint(context, answers)
}

function answerIn(call: Call): { readonly outcome: ToolOutcome; readonly text: string } | undefined {
  const { decision } = call
  switch (decision?.type) {
    case 'respond':
      return { outcome: 'ok', text: decision.message }
    case 'reject':
      return {
        outcome: 'rejected',
        text: `${openOutcome(call) === null ? rejected : droppedText} ${decision.message ?? 'No reason was given.'}`,
      }
    case 'mark_done':
      return { outcome: 'ok', text: markedDone }
    case 'skip':
      return { outcome: 'cancelled', text: skipped }
    default:
      return undefined
  }
}

const rejected = 'The user rejected this call, and it did not run.'
const droppedText =
  'It ran in the sandbox, and the user dropped what it did: none of its changes were kept, and its output is not shown.'
const markedDone =
  'The app stopped while this ran, and what it printed is lost. The user says that it was done. It changed no file of yours: read what you rely on.'
const skipped =
  'The app stopped while this ran, so it may or may not have had its effect. The user chose to leave it and not to run it again.'

function plannedCalls(context: LoopContext, chosen: (call: Call, tool: Tool) => boolean): readonly PlannedCall[] {
  return unsettledCalls(context.thread()).flatMap((call) => {
    const tool = toolOf(context, call)
    return tool && chosen(call, tool) ? [{ call, tool }] : []
  })
}

/**
 * Runs one group. Starts are stored before anything runs. Each result is stored with its changes, in the model's order;
 * results of neighbouring reads, which change nothing, are one commit.
 */
async function* runGroup(
  context: LoopContext,
  judge: Judge,
  group: readonly PlannedCall[],
  signal: AbortSignal,
): LoopSteps {
  if (group.length === 0) return
  signal.throwIfAborted()
  const started: EntryFromTool[] = []
  for (const { call, tool } of group) {
    const input = argumentsOf(call)
    const reachesOut = tool.effect === 'outside' || context.realFileReason(await judge.accessOf(call, tool))
    started.push({
      type: 'tool.started',
      callId: call.callId,
      name: call.name,
      input,
      ...(reachesOut && { outside: true }),
    })
  }
  yield started
  const ran = await Promise.all(group.map(({ call, tool }) => runCall(context, call, tool, signal)))
  const readOnly = ran.every(({ tool }) => tool.effect === 'read' && !tool.conclude)
  if (readOnly) {
    const reviewed = await Promise.all(ran.map((one) => reviewCall(context, one, signal)))
    yield withCheckpoint(
      context,
      reviewed.flatMap((one) => finishCall(context, one)),
    )
    return
  }
  for (const one of ran) {
    const concluded = await concludeCall(context, one, signal)
    yield* storeResult(context, await reviewCall(context, concluded, signal))
  }
}

/**
 * Runs a command, or keeps what one did that a person has seen. In the mode Plan, nothing that it changes is kept. `held`:
 * it waits for a person, so later calls must wait too.
 */
async function* runHoldable(
  context: LoopContext,
  judge: Judge,
  planned: PlannedCall,
  signal: AbortSignal,
): LoopSteps<'stored' | 'held'> {
  const { call, tool } = planned
  const carried = yield* carryOutHeld(context, planned, signal)
  if (carried !== undefined) return carried
  const gate = await judge.gateOf(call, tool)
  const drops = gate.kind === 'drop' || (gate.kind === 'ask' && gate.drops === true)
  const ground = groundOf(context)
  signal.throwIfAborted()
  // What is dropped in any case can be run again after a cut.
  const cut = drops ? ({ holds: true } as const) : ({ outside: true } as const)
  yield [{ type: 'tool.started', callId: call.callId, name: call.name, input: argumentsOf(call), ...cut }]
  const ran = await runCall(context, call, tool, signal)
  if (!drops && !isApproved(call)) {
    const held = yield* holdIfAsked(context, ran, ground, signal)
    if (held !== undefined) return held
  }
  const counts = drops ? withoutEffects(ran) : ((await denyByRule(context, ran, ground)) ?? ran)
  yield* storeResult(context, await reviewCall(context, counts, signal))
  return 'stored'
}

/** Stores a result with its changes. The call fails instead when someone else changed the branch first. */
async function* storeResult(context: LoopContext, ran: RanCall): LoopSteps {
  const stored = yield withCheckpoint(context, finishCall(context, ran))
  if (stored === 'moved_on') {
    yield withCheckpoint(context, failOvertakenCall(context, ran))
    return
  }
  const left = await ran.workspace.finishOutside()
  if (left !== undefined) yield [steerNoticeEntry(context.nextId() as MessageId, left)]
}
