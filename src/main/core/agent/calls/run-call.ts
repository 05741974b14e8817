import type { z } from 'zod'
import { ticks } from '#shared/base/clock.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { Call } from '#shared/model/calls/call.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { accessOf } from '#shared/tools/tool-facts.ts'
import { failedOutput, type Tool, type ToolContext, type ToolOutput } from '../../tools/tool.ts'
import type { Ground } from '../../trial/outcome.ts'
import type { CallApproval, CallContext, CallWorkspace } from './call-context.ts'
import { fitArguments } from './fit-arguments.ts'

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

/** The arguments that run: the model's own, or a person's edit of them. */
export function argumentsOf(call: Call): JsonObject {
  return call.decision?.type === 'edit' ? call.decision.args : call.input
}

/** The start of a call, as the journal says it. */
export function startEntry(call: Call) {
  return { type: 'tool.started', callId: call.callId, name: call.name, input: argumentsOf(call) } as const
}

/** Hosts that a person let the call reach; empty when there was no decision. */
export function grantedHosts({ decision }: Call): readonly string[] {
  return (decision && 'hosts' in decision && decision.hosts) || []
}

/** True when a person saw this call and let it run. */
export function isApproved({ decision }: Pick<Call, 'decision'>): boolean {
  return decision?.type === 'approve' || decision?.type === 'edit' || decision?.type === 'run_again'
}

interface RunOptions {
  /** Absent for the branch as it is. */
  readonly ground?: Ground
  /** Absent for what the call's decision allows. */
  readonly approval?: CallApproval
  /** True when nothing that it changes is to be kept. */
  readonly drops?: boolean
}

/**
 * Runs one call to its output, on the branch as it is or on another ground. Wrong arguments and errors of tools become
 * outputs; only an abort is thrown.
 */
export async function runCall(
  calls: CallContext,
  call: Call,
  tool: Tool,
  signal: AbortSignal,
  { ground, approval = approvalOf(call, tool), drops = false }: RunOptions = {},
): Promise<RanCall> {
  const workspace = await calls.openWorkspace(signal, approval, ground?.tree)
  const context = toolContext(calls.thread(), workspace, {
    callId: call.callId,
    hosts: [...calls.hosts, ...grantedHosts(call)],
    signal,
    onOutput: (text) => calls.live({ type: 'tool.output', callId: call.callId, text }),
    ...(ground && onGround(calls.thread(), ground)),
    drops,
  })
  const startedAt = ticks(calls.clock)
  const { parsed, understood } = fitArguments(tool.schema, argumentsOf(call))
  const output = parsed.success
    ? withNotes(await runGuarded(() => tool.run(parsed.data, context), signal), understood)
    : failedOutput(`Invalid arguments for ${call.name}: ${argumentProblems(parsed.error.issues)}`)
  const ran = { call, tool, context, workspace, output, startedAt }
  return drops ? withoutEffects(ran) : ran
}

/** Says how arguments were understood, so that the model writes them right the next time. */
function withNotes(output: ToolOutput, understood: readonly string[]): ToolOutput {
  if (understood.length === 0) return output
  return { ...output, content: [...output.content, { type: 'text', text: `(Arguments: ${understood.join(' ')})` }] }
}

function withoutEffects(ran: RanCall): RanCall {
  if (!ran.output.ok) return { ...ran, isDropped: true }
  const note = { type: 'text', text: droppedText } as const
  const { entries: _, declares: __, ...output } = ran.output
  return { ...ran, output: { ...output, content: [...output.content, note] }, isDropped: true }
}

const droppedText = 'Plan mode: it ran, and nothing that it changed was kept.'

function onGround({ contentHashes }: ThreadState, { environment, reads, python }: Ground): Partial<ToolContext> {
  return {
    environment,
    ...(reads.length > 0 && { reads: reads.reduce((known, [path, hash]) => known.with(path, hash), contentHashes) }),
    ...(python !== undefined && { python }),
  }
}

function approvalOf(call: Call, tool: Tool): CallApproval {
  const approved = isApproved(call)
  return { approved, written: approved ? accessOf(tool.access, argumentsOf(call)).writes : [] }
}

/** What a tool may use during one call: the call's workspace, and what its thread knows of the files. */
export function toolContext(
  thread: ThreadState,
  { files, branch, drift, access }: CallWorkspace,
  call: Pick<ToolContext, 'callId' | 'hosts' | 'signal' | 'onOutput'> & Partial<ToolContext>,
): ToolContext {
  const { id: threadId, agent, contentHashes: reads, diskNotes: disk } = thread
  return { threadId, agent, files, branch, drift, access, reads, disk, ...call }
}

const conclusions = 3

/** Concludes one call after its whole group ran. Tries again when someone else changed the branch meanwhile. */
export async function concludeCall(
  ran: RanCall,
  stillApplies: (concluded: RanCall) => boolean,
  signal: AbortSignal,
): Promise<RanCall> {
  const conclude = ran.tool.conclude
  if (!conclude || !ran.output.ok) return ran
  for (let attempt = 1; ; attempt += 1) {
    const output = await runGuarded(() => conclude(ran.output, ran.context), signal)
    const concluded = { ...ran, output }
    if (attempt === conclusions || stillApplies(concluded)) return concluded
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
