import { ticks } from '#shared/base/clock.ts'
import type { JsonObject } from '#shared/base/json.ts'
import { type Call, openOutcome } from '#shared/model/calls/call.ts'
import { isAwaited } from '#shared/model/derived/awaited.ts'
import { batchTool } from '#shared/model/derived/batch.ts'
import type { EntryFromTool } from '#shared/model/entry.ts'
import type { MessageId, ToolCallId } from '#shared/model/ids.ts'
import type { ToolOutcome, UserPart } from '#shared/model/message.ts'
import { charactersPerToken } from '#shared/model/models/usage.ts'
import { compose, emptyPatch, type Patch } from '#shared/model/patch.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { steerNoticeEntry } from '../../journal/notices.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import { failedOutput, type ToolOutput } from '../../tools/tool.ts'
import { evictionNotice } from '../context/eviction.ts'
import { sentence } from '../stages/agent-stages.ts'
import type { CallContext, Commit, LoopSteps } from './call-context.ts'
import { argumentsOf, type RanCall } from './run-call.ts'

interface StoreOptions {
  /** Entries of the same commit. */
  readonly before?: Commit
  /** False when what was overtaken runs again, and so is not answered. */
  readonly answersOvertaken?: boolean
}

/**
 * Stores a result with its changes. The call fails instead when someone else changed the branch first. `moved_on`: nothing
 * was stored, and nothing was answered.
 */
export async function* storeResult(
  calls: CallContext,
  judged: RanCall,
  signal: AbortSignal,
  { before = [], answersOvertaken = true }: StoreOptions = {},
): LoopSteps<'stored' | 'moved_on'> {
  const ran = await reviewCall(calls, judged, signal)
  const stored = yield calls.withCheckpoint([...before, ...finishCall(calls, ran)])
  if (stored === 'moved_on' && !answersOvertaken) return stored
  if (stored === 'moved_on') yield calls.withCheckpoint([...before, ...failOvertakenCall(calls, ran)])
  else {
    const left = await ran.workspace.finishOutside()
    if (left !== undefined) yield [steerNoticeEntry(calls.nextId() as MessageId, left)]
  }
  return 'stored'
}

/**
 * Lets the user's own stages see the result of a call that was judged, and then makes its changes outside of the branch. So
 * nothing is written there for a call that a stage let fail.
 */
export async function reviewCall(calls: CallContext, ran: RanCall, signal: AbortSignal): Promise<RanCall> {
  const { call, tool } = ran
  const about = { call, tool, args: argumentsOf(call), tree: ran.workspace.branch.tree }
  const reviewed = { ...ran, output: await calls.stages.filterOutput(about, ran.output, signal) }
  return { ...reviewed, output: await commitOutside(calls, reviewed) }
}

/**
 * Real folders and the texts of all projects cannot wait for the result. They are changed when everything else about the
 * call is known to be good, and the call fails when they cannot be.
 */
async function commitOutside(calls: CallContext, ran: RanCall): Promise<ToolOutput> {
  if (!ran.output.ok || ran.isDropped || !calls.stillApplies(changeOf(calls, ran))) return ran.output
  try {
    await ran.workspace.commitOutside()
    return ran.output
  } catch (error) {
    if (error instanceof FileTreeError) return failedOutput(error.message)
    throw error
  }
}

const overtaken =
  'The branch was changed by someone else while this call ran, so its changes were dropped. Read the files again and repeat the call.'

/** The result and all changes of the call, for one transaction. A failed call changes nothing. */
export function finishCall(calls: CallContext, ran: RanCall): Commit {
  const patch = ownPatch(ran)
  const { output } = ran
  const isOther = output.judgedOn !== undefined && output.judgedOn !== calls.branch.tree()
  if (isOther || !calls.stillApplies(changeOf(calls, ran))) return failOvertakenCall(calls, ran)
  const remembered =
    output.ok && !ran.isDropped ? ran.workspace.commitStores().entries(ran.context.agent, ran.call.callId) : []
  const outcome = output.ok ? 'ok' : output.stopped ? 'cancelled' : 'error'
  const { branchId } = calls.thread()
  const changed: Commit =
    output.ok && patch.length > 0 ? [{ type: 'tree.changed', branchId, patch, callId: ran.call.callId }] : []
  const derived = derivedCall(calls, ran.call, output)
  const finished = finishedEntry(calls, ran.call, outcome, evictOutput(calls, ran, output), ran.startedAt, output)
  return [...changed, ...remembered, ...(output.entries ?? []), finished, ...derived]
}

/** The result of a call whose changes of the branch can no longer be stored: it failed. */
function failOvertakenCall(calls: CallContext, { call, startedAt, workspace }: RanCall): Commit {
  const outside = workspace.changedOutside()
  const kept = outside.length === 0 ? '' : ` These changes are outside of the branch and stay: ${outside.join(', ')}.`
  return [finishedEntry(calls, call, 'error', [{ type: 'text', text: `${overtaken}${kept}` }], startedAt)]
}

/** Turns declared tasks into a batch call by the loop, stored with the result of the declaring call. */
function derivedCall(calls: CallContext, { callId: from }: Call, { ok, declares = [] }: ToolOutput): Commit {
  if (!ok || declares.length === 0) return []
  const callId = `call_${calls.nextId()}` as ToolCallId
  return [{ type: 'call.derived', callId, from, name: batchTool, input: { tasks: [...declares] } }]
}

/** The tasks that code waits for, as a batch call by the loop. The code runs again when it has its result. */
export function awaitedCall(
  calls: Pick<CallContext, 'nextId'>,
  { callId: from }: Call,
  tasks: readonly JsonObject[],
): EntryFromTool {
  const callId = `call_${calls.nextId()}` as ToolCallId
  return { type: 'call.derived', callId, from, name: batchTool, input: { tasks: [...tasks] }, awaited: true }
}

/** Everything that storing a call's result changes on its branch: its own edits and what it merges in. */
export function changeOf(calls: Pick<CallContext, 'thread'>, ran: RanCall): Patch {
  const { branchId } = calls.thread()
  const merged = (ran.output.entries ?? []).flatMap((entry) =>
    entry.type === 'branch.merged' && entry.into === branchId ? [entry.patch] : [],
  )
  return merged.reduce(compose, ownPatch(ran))
}

/** The call's own changes of the branch, as far as they count. */
function ownPatch({ output, workspace, keeps, isDropped }: RanCall): Patch {
  if (!output.ok || isDropped) return emptyPatch
  return keeps ?? workspace.branch.patch()
}

/** An answer in words to a call that does not run, or whose run does not count. */
export function answerEntry(calls: Pick<CallContext, 'clock'>, call: Call, outcome: ToolOutcome, text: string) {
  return finishedEntry(calls, call, outcome, [{ type: 'text', text }], ticks(calls.clock))
}

function finishedEntry(
  { clock }: Pick<CallContext, 'clock'>,
  call: Call,
  outcome: ToolOutcome,
  content: readonly UserPart[],
  startedAt: number,
  output?: ToolOutput,
): EntryFromTool {
  return {
    type: 'tool.finished',
    callId: call.callId,
    name: call.name,
    result: {
      ...{ outcome, content: withDecisionNotes(call, content) },
      ...(output?.login !== undefined && { login: output.login }),
    },
    durationMs: Math.max(0, Math.round(ticks(clock) - startedAt)),
    reads: output?.reads ?? [],
    ...(output?.diskVersionsSeen && { besides: output.diskVersionsSeen }),
  }
}

/** Tells the agent what a person changed in the call, and what the person wrote to it. */
function withDecisionNotes(call: Call, content: readonly UserPart[]): readonly UserPart[] {
  const { decision } = call
  const outcome = openOutcome(call)
  const notes = [
    call.staged?.changed && decision?.type !== 'edit' && changedNote(call.staged.changed.by, call.input),
    decision?.type === 'edit' && editNote(decision.args),
    outcome?.edited && decision?.type !== 'edit' && editNote(outcome.input),
    (decision?.type === 'approve' || decision?.type === 'edit') &&
      decision.message &&
      `The user approved this call and wrote: ${decision.message}`,
  ]
  return [...notes.flatMap((text) => (text ? [{ type: 'text', text } as const] : [])), ...content]
}

function changedNote(by: string, args: JsonObject): string {
  return `${sentence(by)} gave the call other arguments before it ran: ${beginningOf(JSON.stringify(args), 2_000)}`
}

function editNote(args: JsonObject): string {
  return `The user edited the arguments before this ran: ${JSON.stringify(args)}`
}

/** The output with what is too large for the conversation stored beside the project, and a notice in its place. */
function evictOutput(calls: CallContext, ran: RanCall, output: ToolOutput): readonly UserPart[] {
  // The results of awaited tasks are for the code that waits, and no model reads them.
  if (ran.tool.keepsLargeResults || isAwaited(calls.thread(), ran.call)) return output.content
  const store = (text: string) => calls.keepText('/large_tool_results/', `${ran.call.callId}.txt`, text)
  return output.content.map((part) =>
    part.type === 'text' && part.text.length > calls.limits.resultTokens * charactersPerToken
      ? { type: 'text', text: evictionNotice(store(part.text), part.text) }
      : part,
  )
}
