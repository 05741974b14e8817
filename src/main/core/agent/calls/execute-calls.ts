import type { ActionRequest, Interrupt } from '#shared/model/calls/interrupt.ts'
import type { Outcome } from '#shared/model/calls/outcome.ts'
import type { InterruptId, ToolCallId } from '#shared/model/ids.ts'
import { openCalls } from '#shared/model/thread.ts'
import { outcomeQuestion, type Question } from '../../approval/policy.ts'
import { type Ground, groundOnTop, wholeOf } from '../../trial/outcome.ts'
import { type CallContext, type LoopSteps, withCheckpoint } from './call-context.ts'
import { filesOfCommand } from './files-of-command.ts'
import { answerEntry } from './finish-call.ts'
import { isTriedEdit, judgeCall, judgeRun } from './judge-call.ts'
import {
  type AskedCall,
  type JudgedPlan,
  type KnownCall,
  nextStep,
  type OpenCall,
  type PlannedCall,
  type Step,
} from './next-step.ts'
import { groundOf, takeUpOutcome } from './record-outcome.ts'
import { runGroup } from './run-group.ts'
import { showEffects } from './show-effects.ts'
import { keepCall, questionOf, tryCall } from './try-call.ts'
import { askAboutEnds } from './unknown-end.ts'

/**
 * Gives every call of the last reply its result, and every call derived from declared tasks. Only stored state decides, so
 * after a restart it continues where the process died.
 */
export async function* executeToolCalls(calls: CallContext, signal: AbortSignal): LoopSteps {
  const known = createKnownCalls()
  const toolNames = calls.tools.map(({ name }) => name)
  for (;;) {
    signal.throwIfAborted()
    const step = nextStep(known.look(calls), toolNames)
    if (step.kind === 'done') return
    yield* carryOut(calls, known, step, signal)
  }
}

/** What one loop knows of its calls. */
interface KnownCalls {
  look(calls: CallContext): readonly OpenCall[]
  set(callId: ToolCallId, known: KnownCall): void
  change(callId: ToolCallId, change: Partial<KnownCall>): void
  /** Call it when another call may have changed the answers. */
  age(): void
  /** Call it when a person may have: with a decision, a mode or a rule. */
  forget(): void
}

function createKnownCalls(): KnownCalls {
  const known = new Map<ToolCallId, KnownCall>()
  return {
    look: ({ tools, thread }) =>
      openCalls(thread()).map((call) => ({
        call,
        tool: tools.find(({ name }) => name === call.name),
        known: known.get(call.callId),
      })),
    set: (callId, one) => void known.set(callId, one),
    change(callId, change) {
      const one = known.get(callId)
      if (one) known.set(callId, { ...one, ...change })
    },
    age() {
      for (const [callId, one] of known) known.set(callId, { ...one, isFresh: false, waitsForOthers: false })
    },
    forget() {
      for (const [callId, one] of known)
        if (one.passed === null) known.delete(callId)
        else known.set(callId, { ...one, isFresh: false })
    },
  }
}

async function* carryOut(
  calls: CallContext,
  known: KnownCalls,
  step: Exclude<Step, { kind: 'done' }>,
  signal: AbortSignal,
): LoopSteps {
  switch (step.kind) {
    case 'judge':
      return judgeAll(calls, known, step.calls, signal)
    case 'answer':
      yield withCheckpoint(
        calls,
        step.answers.map(({ call, outcome, text }) => answerEntry(calls, call, outcome, text)),
      )
      return
    case 'ask about ends':
      yield [askAboutEnds(calls.thread(), step.calls, calls.nextId())]
      return
    case 'ask':
      yield [{ type: 'interrupt.raised', interrupt: await describeInterrupt(calls, step.calls, signal) }]
      return
    case 'wait':
      await calls.untilDecided(signal)
      known.forget()
      return
    case 'try':
      return yield* carryOutTry(calls, known, step, signal)
    case 'keep':
      yield* keepCall(calls, step.call, step, signal)
      known.change(step.call.call.callId, { passed: null })
      known.age()
      return
    case 'run':
      yield* runGroup(calls, step.calls, signal)
      known.age()
  }
}

async function* carryOutTry(
  calls: CallContext,
  known: KnownCalls,
  { call: planned, below, isNext }: Extract<Step, { kind: 'try' }>,
  signal: AbortSignal,
): LoopSteps {
  const { call, known: judged } = planned
  const ground = below.reduce((under, one) => groundOnTop(under, one.callId, one.outcome), groundOf(calls))
  const question = judged ? questionOf(judged, call) : outcomeQuestion
  const ended = yield* tryCall(calls, planned, { ground, isNext, question, ranAgain: null }, signal)
  switch (ended.kind) {
    case 'passed':
      return known.change(call.callId, { passed: ended.outcome })
    case 'failed':
      return known.change(call.callId, { waitsForOthers: true })
    case 'kept back':
      return known.change(call.callId, { asks: ended.question })
    case 'finished':
      return known.age()
  }
}

async function judgeAll(
  calls: CallContext,
  known: KnownCalls,
  planned: readonly PlannedCall[],
  signal: AbortSignal,
): Promise<void> {
  const before = new Map(known.look(calls).map((one) => [one.call.callId, one.known]))
  for (const { call, tool } of planned) {
    const judgement = await judgeCall(calls, call, tool, signal)
    const passed = before.get(call.callId)?.passed ?? null
    known.set(call.callId, { ...judgement, passed, asks: null, isFresh: true, waitsForOthers: false })
  }
}

/** One interrupt about calls that wait to run and about outcomes that wait to count. */
async function describeInterrupt(
  calls: CallContext,
  asked: readonly AskedCall[],
  signal: AbortSignal,
): Promise<Interrupt> {
  let ground = groundOf(calls)
  const waiting: { readonly request: ActionRequest; readonly question: Question }[] = []
  for (const { call, tool, known, changedBefore } of asked) {
    const outcome = call.state.kind === 'kept back' ? call.state.outcome : null
    const question = await findQuestion(calls, { call, tool, known }, outcome, ground, signal)
    const command = known?.access.command ?? null
    const files =
      command === null ? {} : await filesOfCommand(calls, { name: tool.name, command }, changedBefore, signal)
    const effects = outcome === null ? undefined : await showEffects(calls, outcome, ground.tree)
    waiting.push({
      question,
      request: {
        ...{ callId: call.callId, name: call.name, args: call.input, description: tool.describe(call.input) },
        ...{ rule: question.rule, risk: question.risk },
        ...(question.riskReason !== undefined && { riskReason: question.riskReason }),
        ...(question.allowable === false && { allowable: question.allowable }),
        ...{ ...files, ...(effects && { effects }) },
      },
    })
    if (outcome !== null) ground = groundOnTop(ground, call.callId, outcome)
  }
  return {
    ...{ id: calls.nextId() as InterruptId, threadId: calls.threadId, agent: calls.thread().agent },
    action_requests: waiting.map(({ request }) => request),
    review_configs: waiting.map(({ request: { callId, name }, question }) => ({
      callId,
      ...{ action_name: name, allowed_decisions: question.allowed },
    })),
  }
}

/** The question about a call that waits. That of one that was kept back may have changed since it ran. */
async function findQuestion(
  calls: CallContext,
  { call, tool, known }: JudgedPlan,
  outcome: Outcome | null,
  ground: Ground,
  signal: AbortSignal,
): Promise<Question> {
  const verdict = known?.verdict
  if (verdict?.kind === 'ask') return verdict
  const question = known?.asks ?? (verdict?.kind === 'try' ? verdict.question : null)
  if (question !== null || outcome === null || !isTriedEdit(call, tool)) return question ?? outcomeQuestion
  const taken = await takeUpOutcome(calls, { call, tool }, outcome, wholeOf(outcome), signal)
  const judged = await judgeRun(calls, taken, { ground, question, isApproved: false, isTried: true }, signal)
  return judged.kind === 'ask' ? judged : outcomeQuestion
}
