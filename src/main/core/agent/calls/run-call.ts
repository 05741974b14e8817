import type { z } from 'zod'
import { ticks } from '#shared/base/clock.ts'
import { shownName } from '#shared/base/control-characters.ts'
import type { JsonObject } from '#shared/base/json.ts'
import { type Call, openOutcome } from '#shared/model/call.ts'
import { batchTool } from '#shared/model/derived/batch.ts'
import type { EntryBody } from '#shared/model/entry.ts'
import type { LayerId, ToolCallId } from '#shared/model/ids.ts'
import type { ToolOutcome, UserPart } from '#shared/model/message.ts'
import { compose, emptyPatch, type Patch } from '#shared/model/patch.ts'
import { charactersPerToken } from '#shared/model/usage.ts'
import { accessOf } from '#shared/tools/tool-facts.ts'
import type { FileEffect } from '../../approval/effects.ts'
import type { Gate } from '../../approval/policy.ts'
import type { Tree } from '../../overlay/tree.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import { failedOutput, type Tool, type ToolContext, type ToolOutput } from '../../tools/tool.ts'
import type { CallApproval, CallWorkspace, Commit, LoopContext } from '../types/loop-context.ts'
import { toolContext } from './tool-context.ts'

/** A call that ran and whose result is not stored yet. */
export interface RanCall {
  /** The state of the call as it was when it started. */
  readonly call: Call
  /** The tool that ran, which may still have to `conclude`. */
  readonly tool: Tool
  /** The context of the run, to be used again by `conclude`. */
  readonly context: ToolContext
  /** Holds the changes of the call until they are committed. */
  readonly workspace: CallWorkspace
  /** A failed output when the arguments were wrong or the tool threw. */
  readonly output: ToolOutput
  /** By `ticks`. */
  readonly startedAt: number
  /** The changes of the branch that count, in place of those in the workspace. Absent for all of those. */
  readonly keeps?: Patch
  /** True when nothing that the call changed is kept. */
  readonly isDropped?: true
}

/** Where a call runs that does not run on the branch as it is now: on top of held calls. */
export interface HeldGround {
  readonly tree: Tree
  /** The layers that a command finds, the oldest first. */
  readonly environment: readonly LayerId[]
}

/** The arguments that run: the model's own, or a person's edit of them. */
export function argumentsOf(call: Call): JsonObject {
  return call.decision?.type === 'edit' ? call.decision.args : call.input
}

/** Hosts that a person let the call reach; empty when there was no decision. */
export function grantedHosts({ decision }: Call): readonly string[] {
  return (decision && 'hosts' in decision && decision.hosts) || []
}

/** Runs one call to its output. Wrong arguments and errors of tools become outputs; only an abort is thrown. */
export async function runCall(
  loop: LoopContext,
  call: Call,
  tool: Tool,
  signal: AbortSignal,
  ground?: HeldGround,
): Promise<RanCall> {
  const workspace = await loop.openWorkspace(signal, approvalOf(call, tool), ground?.tree)
  const context = toolContext(loop.thread(), workspace, {
    callId: call.callId,
    hosts: [...(loop.program?.kind === 'command' ? loop.program.hosts : []), ...grantedHosts(call)],
    signal,
    onOutput: (text) => loop.live({ type: 'tool.output', callId: call.callId, text }),
    ...(ground && { environment: ground.environment }),
  })
  const startedAt = ticks(loop.clock)
  const parsed = tool.schema.safeParse(argumentsOf(call))
  const output = parsed.success
    ? await runGuarded(() => tool.run(parsed.data, context), signal)
    : failedOutput(`Invalid arguments for ${call.name}: ${argumentProblems(parsed.error.issues)}`)
  return { call, tool, context, workspace, output, startedAt }
}

/**
 * Judges what a concluded call changed, lets the user's own stages see its result, and then makes its changes outside
 * of the branch. So nothing is written there for a call that a stage let fail.
 */
export async function reviewCall(loop: LoopContext, ran: RanCall, signal: AbortSignal): Promise<RanCall> {
  const problem = ran.output.ok ? await unapprovedChange(loop, ran) : undefined
  const judged = problem === undefined ? ran.output : failedOutput(problem)
  const call = { ...ran.call, input: argumentsOf(ran.call) }
  const reviewed = { ...ran, output: await loop.stages.filterOutput(call, judged, signal) }
  return { ...reviewed, output: await commitOutside(loop, reviewed) }
}

/**
 * Real folders and the texts of all projects cannot wait for the result. They are changed when everything else about the
 * call is known to be good, and the call fails when they cannot be.
 */
async function commitOutside(loop: LoopContext, ran: RanCall): Promise<ToolOutput> {
  if (!ran.output.ok || ran.isDropped || !loop.stillApplies(changeOf(loop, ran))) return ran.output
  try {
    await ran.workspace.commitOutside()
    return ran.output
  } catch (error) {
    if (error instanceof FileTreeError) return failedOutput(error.message)
    throw error
  }
}

function approvalOf(call: Call, tool: Tool): CallApproval {
  const approved = isApproved(call)
  return { approved, written: approved ? accessOf(tool.access, argumentsOf(call)).writes : [] }
}

/** True when a person saw this call and let it run. */
export function isApproved({ decision }: Call): boolean {
  return decision?.type === 'approve' || decision?.type === 'edit' || decision?.type === 'run_again'
}

/**
 * Why the changes of a call must not be kept: a rule forbids one of them, or one needs approval that nobody gave. Calls
 * are asked about before they run; this catches one that changed something else than was foreseen.
 */
async function unapprovedChange(loop: LoopContext, ran: RanCall): Promise<string | undefined> {
  const { call, tool } = ran
  const judged = await judgeChange(loop, ran)
  if (judged === undefined) return undefined
  const { gate, effects } = judged
  // What a subagent changed was asked about when the subagent changed it.
  if (gate.kind === 'ask' && (isApproved(call) || tool.effect === 'agents')) return undefined
  const changed = `It changed ${effects
    .slice(0, 10)
    .map(({ path }) => shownName(path))
    .join(', ')}${effects.length > 10 ? ` and ${effects.length - 10} more` : ''}.`
  if (gate.kind === 'refuse') return `None of its changes were kept. ${changed} ${gate.message}`
  return `None of its changes were kept, because one of them needs the user’s approval (${gate.rule}). ${changed} Use the file tools for it, which ask.`
}

/** What the policy says against the changes that a call made. Undefined when nothing speaks against them. */
export async function judgeChange(
  loop: LoopContext,
  ran: RanCall,
): Promise<
  { readonly gate: Extract<Gate, { kind: 'ask' | 'refuse' }>; readonly effects: readonly FileEffect[] } | undefined
> {
  const { call, tool, workspace } = ran
  const effects = ran.isDropped ? [] : await loop.effectsOf(workspace, changeOf(loop, ran))
  if (effects.length === 0) return undefined
  const gate = loop.policy({ tool, access: await loop.accessOf(tool, argumentsOf(call)), mode: 'auto', effects })
  return gate.kind === 'ask' || gate.kind === 'refuse' ? { gate, effects } : undefined
}

const conclusions = 3

/** Concludes one call after its whole group ran. Tries again when someone else changed the branch meanwhile. */
export async function concludeCall(loop: LoopContext, ran: RanCall, signal: AbortSignal): Promise<RanCall> {
  const conclude = ran.tool.conclude
  if (!conclude || !ran.output.ok) return ran
  for (let attempt = 1; ; attempt += 1) {
    const output = await runGuarded(() => conclude(ran.output, ran.context), signal)
    const concluded = { ...ran, output }
    if (attempt === conclusions || loop.stillApplies(changeOf(loop, concluded))) return concluded
  }
}

async function runGuarded(run: () => Promise<ToolOutput>, signal: AbortSignal): Promise<ToolOutput> {
  try {
    return await run()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return failedOutput(error instanceof Error ? error.message : String(error))
  }
}

const overtaken =
  'The branch was changed by someone else while this call ran, so its changes were dropped. Read the files again and repeat the call.'

/** The result and all changes of the call, for one transaction. A failed call changes nothing. */
export function finishCall(loop: LoopContext, ran: RanCall): Commit {
  const patch = ownPatch(ran)
  const { output } = ran
  const isOther = output.judgedOn !== undefined && output.judgedOn !== loop.branch.tree()
  if (isOther || !loop.stillApplies(changeOf(loop, ran))) return failOvertakenCall(loop, ran)
  const remembered =
    output.ok && !ran.isDropped ? ran.workspace.commitStores().entries(ran.context.agent, ran.call.callId) : []
  const finished = finishedEntry(
    loop,
    ran.call,
    output.ok ? 'ok' : output.stopped ? 'cancelled' : 'error',
    evictOutput(loop, ran, output),
    ran.startedAt,
    output,
  )
  const { branchId } = loop.thread()
  const changed: Commit =
    output.ok && patch.length > 0 ? [{ type: 'tree.changed', branchId, patch, callId: ran.call.callId }] : []
  return [...changed, ...remembered, ...(output.entries ?? []), finished, ...derivedCall(loop, ran.call, output)]
}

/** The result of a call whose changes of the branch can no longer be stored: it failed. */
export function failOvertakenCall(loop: LoopContext, { call, startedAt, workspace }: RanCall): Commit {
  const outside = workspace.changedOutside()
  const kept = outside.length === 0 ? '' : ` These changes are outside of the branch and stay: ${outside.join(', ')}.`
  return [finishedEntry(loop, call, 'error', [{ type: 'text', text: `${overtaken}${kept}` }], startedAt)]
}

/** Turns declared tasks into a batch call by the loop, stored with the result of the declaring call. */
function derivedCall(loop: LoopContext, { callId: from }: Call, { ok, declares = [] }: ToolOutput): Commit {
  if (!ok || declares.length === 0) return []
  const callId = `call_${loop.nextId()}` as ToolCallId
  return [{ type: 'call.derived', callId, from, name: batchTool, input: { tasks: [...declares] } }]
}

/** Everything that storing a call's result changes on its branch: its own edits and what it merges in. */
function changeOf(loop: LoopContext, ran: RanCall): Patch {
  const { branchId } = loop.thread()
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

/** The entry for a call that did not run, or ran outside `runCall`. */
export function finishedEntry(
  loop: LoopContext,
  call: Call,
  outcome: ToolOutcome,
  content: readonly UserPart[],
  startedAt: number,
  output?: ToolOutput,
): EntryBody {
  return {
    type: 'tool.finished',
    callId: call.callId,
    name: call.name,
    result: { outcome, content: withDecisionNotes(call, content) },
    durationMs: Math.max(0, Math.round(ticks(loop.clock) - startedAt)),
    reads: output?.reads ?? [],
    ...(output?.diskVersionsSeen && { besides: output.diskVersionsSeen }),
  }
}

/** Tells the agent what a person changed in the call, and what the person wrote to it. */
function withDecisionNotes(call: Call, content: readonly UserPart[]): readonly UserPart[] {
  const { decision } = call
  const held = openOutcome(call)
  const notes = [
    decision?.type === 'edit' && editNote(decision.args),
    held?.edited && decision?.type !== 'edit' && editNote(held.input),
    (decision?.type === 'approve' || decision?.type === 'edit') &&
      decision.message &&
      `The user approved this call and wrote: ${decision.message}`,
  ]
  return [...notes.flatMap((text) => (text ? [{ type: 'text', text } as const] : [])), ...content]
}

function editNote(args: JsonObject): string {
  return `The user edited the arguments before this ran: ${JSON.stringify(args)}`
}

function evictOutput(loop: LoopContext, ran: RanCall, output: ToolOutput): readonly UserPart[] {
  if (ran.tool.keepsLargeResults) return output.content
  return output.content.map((part) =>
    part.type === 'text' && part.text.length > loop.limits.resultTokens * charactersPerToken
      ? { type: 'text', text: loop.evict(ran.call.callId, part.text) }
      : part,
  )
}

type Issue = z.core.$ZodIssue

/** The problems of a call's arguments, in words for the model or the person who wrote them. */
export function argumentProblems(issues: readonly Issue[]): string {
  return issues.map(describe).join('; ')
}

function describe(issue: Issue): string {
  return [issue.path.map(String).join('.'), reasonOf(issue)].filter(Boolean).join(': ')
}

/**
 * For a union, names the problems of the form that was probably meant: one with an error inside it. If there is none,
 * names those of every form.
 */
function reasonOf(issue: Issue): string {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue.message
  const meant = issue.errors.filter((form) => form.every(({ path }) => path.length > 0))
  return (meant.length > 0 ? meant : issue.errors).map((form) => form.map(describe).join(', ')).join(', or ')
}
