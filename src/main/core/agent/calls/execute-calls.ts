import type { Call } from '#shared/model/calls/call.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import { openCalls } from '#shared/model/thread.ts'
import { namesInHooks } from '../stages/claude-words.ts'
import { askBefore } from './ask-stages.ts'
import type { CallContext, LoopSteps } from './call-context.ts'
import { describeInterrupt } from './describe-interrupt.ts'
import { answerEntry } from './finish-call.ts'
import { judgeCall } from './judge-call.ts'
import { type KnownCall, nextStep, type OpenCall, type PlannedCall, type Step } from './next-step.ts'
import { runGroup } from './run-group.ts'
import { keepCall, type TriedEnd, tryOnTop } from './try-call.ts'
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
  /** What became of a call that ran aside, where the journal does not say it. One that ended may change other answers. */
  learn(callId: ToolCallId, ended: TriedEnd): void
  /** Call it when another call may have changed the answers. */
  age(): void
  /** Call it when a person may have: with a decision, a mode or a rule. */
  forget(): void
}

function createKnownCalls(): KnownCalls {
  const known = new Map<ToolCallId, KnownCall>()
  const age = () => {
    for (const [callId, one] of known) known.set(callId, { ...one, isFresh: false, waitsForOthers: false })
  }
  return {
    look: ({ tools, thread }) =>
      withoutWaiting(openCalls(thread())).map((call) => ({
        call,
        tool: tools.find(({ name }) => name === call.name),
        known: known.get(call.callId),
      })),
    set: (callId, one) => void known.set(callId, one),
    learn(callId, ended) {
      const one = known.get(callId)
      const passed = ended.kind === 'passed' ? ended.outcome : null
      const asks = ended.kind === 'kept back' ? ended.question : null
      if (one) known.set(callId, { ...one, passed, asks, waitsForOthers: ended.kind === 'failed' })
      if (ended.kind === 'finished' || ended.kind === 'moved on') age()
    },
    age,
    forget() {
      for (const [callId, one] of known)
        if (one.passed === null) known.delete(callId)
        else known.set(callId, { ...one, isFresh: false })
    },
  }
}

/** A call that waits for subagents comes after them, and the calls behind it after that. */
function withoutWaiting(open: readonly Call[]): readonly Call[] {
  const waitedFor = ({ awaited = [] }: Call) =>
    open.filter((one) => awaited.some(({ callId }) => callId === one.callId))
  const at = open.findIndex((call) => waitedFor(call).length > 0)
  return at < 0 ? open : [...open.slice(0, at), ...open.slice(at, at + 1).flatMap(waitedFor)]
}

async function* carryOut(
  calls: CallContext,
  known: KnownCalls,
  step: Exclude<Step, { kind: 'done' }>,
  signal: AbortSignal,
): LoopSteps {
  switch (step.kind) {
    case 'judge':
      return yield* judgeAll(calls, known, step.calls, signal)
    case 'answer':
      yield calls.withCheckpoint(step.answers.map(({ call, outcome, text }) => answerEntry(calls, call, outcome, text)))
      return
    case 'ask about ends':
      yield [askAboutEnds(calls.thread(), step.calls, calls.nextId())]
      return
    case 'ask':
      // What a hook says in a person's place is judged as what it said before.
      if (yield* askBefore(calls, step.calls, signal, 'PermissionRequest')) return known.forget()
      yield [{ type: 'interrupt.raised', interrupt: await describeInterrupt(calls, step.calls, signal) }]
      calls.stages.tell('Notification', needsPerson(step.calls))
      return
    case 'wait':
      await calls.untilDecided(signal)
      known.forget()
      return
    case 'try':
      known.learn(step.call.call.callId, yield* tryOnTop(calls, step, signal))
      return
    case 'keep':
      known.learn(step.call.call.callId, yield* keepCall(calls, step.call, step, signal))
      return
    case 'run':
      yield* runGroup(calls, step.calls, signal)
      known.age()
  }
}

function needsPerson(asked: readonly PlannedCall[]): Parameters<CallContext['stages']['tell']>[1] {
  const names = [...new Set(asked.map(({ tool }) => namesInHooks(tool.name)[0]))].join(', ')
  const kind = 'permission_prompt'
  return { kind, facts: { message: `Your permission is needed to use ${names}`, notification_type: kind } }
}

async function* judgeAll(
  calls: CallContext,
  known: KnownCalls,
  planned: readonly PlannedCall[],
  signal: AbortSignal,
): LoopSteps {
  yield* askBefore(calls, planned, signal)
  const before = new Map(known.look(calls).map((one) => [one.call.callId, one.known]))
  for (const { call: asked, tool } of planned) {
    const call = calls.thread().calls.get(asked.callId) ?? asked
    const judgement = await judgeCall(calls, call, tool, signal)
    const passed = before.get(call.callId)?.passed ?? null
    known.set(call.callId, { ...judgement, passed, asks: null, isFresh: true, waitsForOthers: false })
  }
}
