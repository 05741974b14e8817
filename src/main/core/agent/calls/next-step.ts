import { type Call, isEndUnknown, isUnstarted, openOutcome } from '#shared/model/calls/call.ts'
import type { Outcome } from '#shared/model/calls/outcome.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { ToolOutcome } from '#shared/model/message.ts'
import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import { type CallAccess, findToolFacts } from '#shared/tools/tool-facts.ts'
import type { Question } from '../../approval/policy.ts'
import type { Tool } from '../../tools/tool.ts'
import type { Judgement } from './judge-call.ts'

/** A call without a result, and what is known of it. */
export interface OpenCall {
  readonly call: Call
  /** Undefined for a name that no tool has. */
  readonly tool: Tool | undefined
  /** Undefined while it was not judged. */
  readonly known: KnownCall | undefined
}

/** What a loop knows of a call. None of it is stored, so after a restart it is found out again. */
export interface KnownCall extends Judgement {
  /** False when the answer may be another one by now, because another call ran. */
  readonly isFresh: boolean
  /** What it did aside, when that may be kept in its turn without a question. Null for nothing. */
  readonly passed: Outcome | null
  /** What a person is asked about what it did. Null while nobody knows. */
  readonly asks: Question | null
  /** True when it failed on what there is, and calls before it may change that. */
  readonly waitsForOthers: boolean
}

/** A call and its tool, about to run. */
export interface PlannedCall {
  readonly call: Call
  readonly tool: Tool
}

export interface JudgedPlan extends PlannedCall {
  readonly known: KnownCall | undefined
}

/** A call that did something aside, which later ones are tried on top of. */
export interface TriedCall {
  readonly callId: ToolCallId
  readonly outcome: Outcome
}

export type Step =
  | { readonly kind: 'done' }
  /** Find out what the rules say. */
  | { readonly kind: 'judge'; readonly calls: readonly PlannedCall[] }
  /** Give results that need no run. */
  | { readonly kind: 'answer'; readonly answers: readonly Answer[] }
  /** Ask a person how these runs ended, which a crash cut off. */
  | { readonly kind: 'ask about ends'; readonly calls: readonly Call[] }
  /** Ask a person about all of these in one interrupt. */
  | { readonly kind: 'ask'; readonly calls: readonly AskedCall[] }
  /** Wait until a person has answered. */
  | { readonly kind: 'wait' }
  /** Run it aside. `isNext`: every call before it has its result, so what nobody is asked about counts at once. */
  | {
      readonly kind: 'try'
      readonly call: JudgedPlan
      readonly below: readonly TriedCall[]
      readonly isNext: boolean
    }
  /** Keep what it did. `isSeen`: a person has seen it. */
  | { readonly kind: 'keep'; readonly call: PlannedCall; readonly outcome: Outcome; readonly isSeen: boolean }
  /** Run them at the same time, and what they do counts. */
  | { readonly kind: 'run'; readonly calls: readonly JudgedPlan[] }

/** A call that a person is asked about. */
export interface AskedCall extends JudgedPlan {
  /** Files that the calls before it name to be changed. */
  readonly changedBefore: ReadonlySet<VirtualPath>
}

export interface Answer {
  readonly call: Call
  readonly outcome: ToolOutcome
  readonly text: string
}

/**
 * The next thing to do for the calls of a reply, which are in the model's order. Impossible calls get an error. What stays
 * aside is tried first; then one interrupt asks about everything that waits for a person. Reads run meanwhile, all else
 * waits for the answers, and then runs in order.
 */
export function nextStep(open: readonly OpenCall[], toolNames: readonly string[]): Step {
  return (
    askAboutEnds(open) ??
    answerUnfit(open, toolNames) ??
    judgeUnknown(open) ??
    answerRefused(open) ??
    tryOne(open) ??
    askAll(open) ??
    waitForAnswers(open) ??
    answerDecided(open) ??
    goOn(open) ?? { kind: 'done' }
  )
}

/** For calls that a rewind brought back as running, and for journals of older versions that do not say what a call may do. */
function askAboutEnds(open: readonly OpenCall[]): Step | undefined {
  const calls = open
    .filter(
      ({ call, tool, known }) =>
        call.state.kind === 'running' &&
        !isUnstarted(call) &&
        // A run aside that waits for its turn has ended, although nothing of it is stored.
        (known?.passed ?? null) === null &&
        (isEndUnknown(call) || tool?.effect === 'outside'),
    )
    .map(({ call }) => call)
  return calls.length === 0 ? undefined : { kind: 'ask about ends', calls }
}

/** Unknown tools and arguments that nobody can read. */
function answerUnfit(open: readonly OpenCall[], toolNames: readonly string[]): Step | undefined {
  const answers = open.flatMap(({ call, tool }): readonly Answer[] => {
    if (isBeyondDoubt(call)) return []
    if (!tool) {
      const text = `There is no tool named ${call.name}. Tools: ${toolNames.join(', ')}.`
      return [{ call, outcome: 'error', text }]
    }
    if (call.unreadable === undefined) return []
    const text = `The arguments of ${call.name} were not one complete JSON object, so it did not run. They began: ${call.unreadable}\nSend the call again.`
    return [{ call, outcome: 'error', text }]
  })
  return answers.length === 0 ? undefined : { kind: 'answer', answers }
}

/** True for a call that ran before, or will not run again: it does not matter whether it could run now. */
function isBeyondDoubt(call: Call): boolean {
  const { state } = call
  return (state.kind === 'asking' && state.about.kind !== 'run') || answerIn(call) !== undefined
}

/**
 * True for a call about which the rules may still say no. A person's approval stands. A person's edit is new to the rules,
 * and a rule that denies what was kept back is there before anybody keeps it.
 */
function isOpenToRules(call: Call): boolean {
  const { state, decision } = call
  if (isUnstarted(call) || state.kind === 'kept back') return true
  if (state.kind !== 'decided' || answerIn(call) !== undefined) return false
  return decision?.type === 'edit' || state.about.kind === 'outcome'
}

function judgeUnknown(open: readonly OpenCall[]): Step | undefined {
  const calls = planned(open.filter(({ call, known }) => known === undefined && isOpenToRules(call)))
  return calls.length === 0 ? undefined : { kind: 'judge', calls }
}

function answerRefused(open: readonly OpenCall[]): Step | undefined {
  const answers = open.flatMap(({ call, known }): readonly Answer[] =>
    known?.verdict.kind === 'refuse' && isOpenToRules(call)
      ? [{ call, outcome: 'error', text: known.verdict.message }]
      : [],
  )
  return answers.length === 0 ? undefined : { kind: 'answer', answers }
}

/**
 * The first call that can run aside now, on top of those before it. A command needs everything before it done; an edit
 * does not wait for what asks, so that a person sees all of a reply at once.
 */
function tryOne(open: readonly OpenCall[]): Step | undefined {
  if (open.some(({ call }) => call.state.kind === 'asking')) return undefined
  const below: TriedCall[] = []
  const beside: VirtualPath[] = []
  let allDone = true
  for (const [index, { call, tool, known }] of open.entries()) {
    if (!tool || isPlainRead(tool)) continue
    const outcome = call.state.kind === 'kept back' ? call.state.outcome : (known?.passed ?? null)
    if (outcome !== null) {
      below.push({ callId: call.callId, outcome })
      beside.push(...outcome.places.map(({ path }) => path))
      // What it wrote beside the project counts only when it is kept, so a later command would not find it.
      if (outcome.places.length > 0) allDone = false
      continue
    }
    // It runs next, and what comes after it must see what it did.
    if (call.state.kind === 'decided') return undefined
    if (isUnstarted(call) && known?.verdict.kind === 'try') {
      const isNext = index === 0
      const isEdit = known.access.command === null
      const mayTry = isEdit ? (!known.waitsForOthers || isNext) && !touches(known.access, beside) : allDone
      if (mayTry) return { kind: 'try', call: { call, tool, known }, below, isNext }
    }
    allDone = false
  }
  return undefined
}

function isPlainRead({ effect, isQuestion }: Tool): boolean {
  return effect === 'read' && !isQuestion
}

/** Code names no file and may read any, so it waits for everything beside the project. */
function touches({ reads, writes }: CallAccess, beside: readonly VirtualPath[]): boolean {
  const named = [...reads, ...writes]
  if (named.length === 0) return beside.length > 0
  return named.some((path) => beside.some((other) => isWithin(path, other) || isWithin(other, path)))
}

/** One interrupt for everything that waits for a person. It is stored before anyone sees it. */
function askAll(open: readonly OpenCall[]): Step | undefined {
  const calls: AskedCall[] = []
  const changed = new Set<VirtualPath>()
  for (const { call, tool, known } of open) {
    const asks = call.state.kind === 'kept back' || (isUnstarted(call) && known?.verdict.kind === 'ask')
    if (tool && asks) calls.push({ call, tool, known, changedBefore: new Set(changed) })
    for (const path of known?.access.writes ?? []) changed.add(path)
  }
  return calls.length === 0 ? undefined : { kind: 'ask', calls }
}

/** Reads that need no answer run while others wait for theirs. */
function waitForAnswers(open: readonly OpenCall[]): Step | undefined {
  if (!open.some(({ call }) => call.state.kind === 'asking')) return undefined
  const calls = open.flatMap(({ call, tool, known }) => {
    const isFree = call.state.kind === 'requested' || call.state.kind === 'running'
    return tool?.effect === 'read' && isFree ? [{ call, tool, known }] : []
  })
  return calls.length === 0 ? { kind: 'wait' } : { kind: 'run', calls }
}

/** Calls whose decision needs no run: a rejection, a reply to a question, or a person's word on how a run ended. */
function answerDecided(open: readonly OpenCall[]): Step | undefined {
  const answers = open.flatMap(({ call }) => answerIn(call) ?? [])
  return answers.length === 0 ? undefined : { kind: 'answer', answers }
}

function answerIn(call: Call): Answer | undefined {
  const { decision, state } = call
  if (state.kind !== 'decided') return undefined
  switch (decision?.type) {
    case 'respond':
      return { call, outcome: 'ok', text: decision.message }
    case 'reject':
      return { call, outcome: 'rejected', text: `${rejectedText(call)} ${decision.message ?? 'No reason was given.'}` }
    case 'mark_done':
      return { call, outcome: 'ok', text: markedDone }
    case 'skip':
      return { call, outcome: 'cancelled', text: skipped }
    default:
      return undefined
  }
}

function rejectedText(call: Call): string {
  if (findToolFacts(call.name).isPlan)
    return 'The user did not approve the plan and asks for changes. Change it and hand it in again.'
  if (openOutcome(call) === null) return 'The user rejected this call, and it did not run.'
  return call.startedAt === null
    ? 'The user rejected this call, and none of its changes were kept.'
    : 'It ran in the sandbox, and the user dropped what it did: none of its changes were kept, and its output is not shown.'
}

const markedDone =
  'The app stopped while this ran, and what it printed is lost. The user says that it was done. It changed no file of yours: read what you rely on.'
const skipped =
  'The app stopped while this ran, so it may or may not have had its effect. The user chose to leave it and not to run it again.'

/** The first calls in the model's order. They are judged anew: a mode, a rule, or a link may be another one by now. */
function goOn(open: readonly OpenCall[]): Step | undefined {
  const group = firstGroup(open.flatMap(({ call, tool, known }) => (tool ? [{ call, tool, known }] : [])))
  const [first] = group
  if (!first) return undefined
  const outdated = group.filter(
    ({ call, tool, known }) => known?.isFresh !== true && (isUnstarted(call) || isCommand(tool)),
  )
  if (outdated.length > 0) return { kind: 'judge', calls: outdated }
  const { call, known } = first
  const outcome = openOutcome(call)
  if (outcome !== null && call.decision?.type === 'approve') return { kind: 'keep', call: first, outcome, isSeen: true }
  if (call.decision?.type === 'edit' && call.decision.hold && call.state.kind === 'decided')
    return { kind: 'try', call: first, below: [], isNext: true }
  if (known?.passed) return { kind: 'keep', call: first, outcome: known.passed, isSeen: false }
  return { kind: 'run', calls: group }
}

function isCommand({ access }: Tool): boolean {
  return access.command !== null
}

/** The first call and the calls behind it that may run at the same time. */
function firstGroup<Planned extends PlannedCall>(calls: readonly Planned[]): readonly Planned[] {
  const end = calls.findIndex(({ tool }, index) => index > 0 && !runBeside(calls[index - 1]?.tool, tool))
  return end < 0 ? calls : calls.slice(0, end)
}

function runBeside(left: Tool | undefined, right: Tool): boolean {
  return (left?.effect === 'read' && right.effect === 'read') || (left === right && right.runsBesideItself === true)
}

function planned(open: readonly OpenCall[]): readonly PlannedCall[] {
  return open.flatMap(({ call, tool }) => (tool ? [{ call, tool }] : []))
}
