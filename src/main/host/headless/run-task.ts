import { definitionOf } from '#core/agent/types/agent-definition.ts'
import { environmentOf } from '#core/branches/branch-trees.ts'
import { configureThread, setAnswerSchema } from '#core/commands/threads.ts'
import { readFamily, readThread } from '#core/journal/read-thread.ts'
import { emptyTree } from '#overlay'
import type { JsonObject } from '#shared/base/json.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { AttemptsWish } from '#shared/model/calls/attempts.ts'
import { isAsking } from '#shared/model/calls/call.ts'
import type { ActionRequest, Decision, Interrupt } from '#shared/model/calls/interrupt.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { slashNameIn } from '#shared/model/messages/message-notes.ts'
import { agentIn } from '#shared/model/models/agent-model.ts'
import type { Effort } from '#shared/model/models/model-facts.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { exportPatch } from '../changes/export-patch.ts'
import { type Asked, type AskedThread, readAsked } from '../inputs/read-asked.ts'
import type { ReadInput } from '../inputs/read-input.ts'
import { type Named, readNamed } from '../inputs/read-resources.ts'
import { storeInputs } from '../inputs/store-inputs.ts'
import type { Project } from '../project/project.ts'
import { withAnswerSchema } from './answer-schema.ts'

/** An event that a run prints as it happens. */
export type ProjectEvent = CoppiceEvent

export type ApproveMode = 'ask' | 'effects' | 'all' | 'none'

/** Whether `--approve` approves a call; otherwise it rejects it. */
export function keepsOf(approve: Exclude<ApproveMode, 'ask'>, { effects }: Pick<ActionRequest, 'effects'>): boolean {
  return approve === 'all' || (approve === 'effects' && effects !== undefined)
}

export interface TaskOptions {
  readonly step: boolean
}

/** A task for a new thread, or for the thread with `threadId`. */
export interface BeginOptions {
  readonly step: boolean
  readonly threadId: ThreadId | null
  readonly task: string
  readonly model: string
  /** How long the model thinks; absent for as it was, or as the settings say. */
  readonly effort?: Effort | undefined
  /** Of a new thread. */
  readonly approvalMode: ApprovalMode
  /** The mode that was asked for by name, which an existing thread gets too. Absent for none. */
  readonly mode?: ApprovalMode | undefined
  readonly agentType: string
  /** The folder that the agent is told to work in. Null or absent for all of the project. */
  readonly folder?: VirtualPath | null
  /** Data for the agent, stored before it starts. Undefined for none. */
  readonly input: ReadInput | undefined
  /** The JSON Schema of the final answer; null for none, undefined for that of the thread or of the agent. */
  readonly outputSchema: JsonObject | null | undefined
  /** What the task asks for with a word after a slash, as `readTask` found it. Absent for a task that is only text. */
  readonly asked?: Asked
  /** How often the task is tried at once. Absent for a task that the agent does itself. */
  readonly attempts?: AttemptsWish | undefined
  /** What the task names with `@`, besides files. Absent for nothing. */
  readonly named?: Named
}

/**
 * Finds the command, the skill or the prompt that a task begins with, and what it names with `@`, as the window does, with
 * what a person should know about it, in sentences.
 */
export async function readTask(
  project: Project,
  thread: AskedThread,
  task: string,
): Promise<{ readonly asked: Asked; readonly named: Named; readonly warnings: readonly string[] }> {
  const asked = await readAsked(project, thread, task)
  const named = await readNamed(project, thread.threadId, task)
  const word = slashNameIn(task)
  // An external agent has commands of its own, and says which ones only when it works.
  if (word === null || asked.entry !== null || agentIn(thread.model) !== null)
    return { asked, named, warnings: asked.warnings }
  const { problems } = await project.extensions.slash()
  const why = problems.map(
    ({ file, line, message }) => `Not used: ${file}${line === null ? '' : `:${line}`}: ${message}`,
  )
  return { asked, named, warnings: [`There is no /${word} here, so the agent gets it as text.`, ...why] }
}

/** The model of an existing thread. Undefined for a new one. */
export function modelOfThread({ services }: Project, threadId: ThreadId | null): string | undefined {
  return threadId === null ? undefined : readThread(services.log, threadId)?.model
}

function workIn(folder: BeginOptions['folder']): string {
  if (!folder) return ''
  return `Work in ${shownName(folder)}: the project is the whole repository, and the user is in that folder.\n\n`
}

export function beginTask(project: Project, options: BeginOptions): ThreadId {
  const { runtime, services } = project
  const known = options.threadId === null ? undefined : readThread(services.log, options.threadId)
  if (options.threadId !== null && !known) {
    throw new WireError(
      'NOT_FOUND',
      `There is no thread ${options.threadId} in this project. "coppice threads" lists them.`,
    )
  }
  if (known)
    project.run(configureThread(services, { threadId: known.id, model: options.model, effort: options.effort }))
  if (known && options.mode !== undefined) chooseMode(project, known.id, options.mode)
  const { outputSchema = known ? known.answerSchema : schemaOfAgent(project, options.agentType) } = options
  const content = (threadId: ThreadId) => {
    const { asked, named, input } = options
    const inputs = [...(input === undefined ? [] : [input]), ...(asked?.inputs ?? []), ...(named?.inputs ?? [])]
    const task = withAnswerSchema(`${options.task}${asked?.note ?? ''}`, outputSchema)
    return [
      ...(named?.images ?? []),
      { type: 'text', text: `${workIn(options.folder)}${task}${storeInputs(project, threadId, inputs)}` },
    ] as const
  }
  const { model, effort, approvalMode, agentType } = options
  const run = { step: options.step, command: options.asked?.command, attempts: options.attempts }
  const begun = {
    title: options.task,
    model,
    effort,
    approvalMode,
    agentType,
    ...(outputSchema && { answerSchema: outputSchema }),
  }
  if (!known) return runtime.begin(begun, content, run)
  project.run(setAnswerSchema(services, { threadId: known.id, answerSchema: outputSchema }))
  runtime.send(known.id, content(known.id), 'queue', run)
  return known.id
}

function schemaOfAgent({ extensions }: Project, type: string): JsonObject | null {
  return definitionOf(extensions.current(), type).answerSchema ?? null
}

/** Sets how often the agents of a thread ask. */
export function chooseMode(project: Project, threadId: ThreadId, approvalMode: ApprovalMode): void {
  project.run(configureThread(project.services, { threadId, approvalMode }))
}

/** Answers the open interrupts of a thread's family with the decisions, then resumes the runs that can go on. */
export function resumeTask(
  project: Project,
  threadId: ThreadId,
  decisions: readonly Decision[],
  options: TaskOptions,
): void {
  const { log } = project.services
  const family = readFamily(log, threadId)
  if (family.length === 0)
    throw new WireError('NOT_FOUND', `There is no thread ${threadId} in this project. "coppice threads" lists them.`)
  const open = family.flatMap(({ id, interrupts }) => interrupts.map((interrupt) => ({ id, interrupt })))
  const answered = open.map(({ id, interrupt }) => ({
    id,
    interrupt,
    decisions: decisions.filter(({ callId }) => interrupt.action_requests.some((request) => request.callId === callId)),
  }))
  const unknown = decisions.find(
    ({ callId }) => !answered.some((one) => one.decisions.some((decision) => decision.callId === callId)),
  )
  if (unknown)
    throw new WireError('NOT_FOUND', `No pending call has the id ${unknown.callId}. It may have been decided already.`)
  const due = answered.filter((one) => one.decisions.length > 0)
  for (const { id, interrupt, decisions: own } of due) project.runtime.checkDecisions(id, interrupt.id, own)
  const { step } = options
  for (const { id, interrupt, decisions: own } of due) project.runtime.decide(id, interrupt.id, own, { step })
  project.runtime.resume(threadId, { step })
}

/**
 * Answers each interrupt of a thread's family as `--approve` says, as soon as it is raised. Questions to a person stay
 * open.
 */
export function decideAutomatically(project: Project, threadId: ThreadId, approve: ApproveMode): Disposable {
  if (approve === 'ask') return { [Symbol.dispose]: () => {} }
  const { log } = project.services
  const root = log.rootOf(threadId) ?? threadId
  const decide = (interrupt: Interrupt) => {
    const decisions = interrupt.review_configs.flatMap(({ callId, allowed_decisions: allowed }): Decision[] => {
      const request = interrupt.action_requests.find((one) => one.callId === callId)
      const state = readThread(log, interrupt.threadId)?.calls.get(callId)
      if (!isAsking(state) || !request) return []
      if (keepsOf(approve, request)) return allowed.includes('approve') ? [{ callId, type: 'approve' }] : []
      return allowed.includes('reject') ? [{ callId, type: 'reject', message: rejectedBy[approve] }] : []
    })
    if (decisions.length > 0) project.runtime.decide(interrupt.threadId, interrupt.id, decisions)
  }
  const listening = project.events.listen((event: CoppiceEvent) => {
    // Wait a tick, so that the loop that raised it has stored it and sleeps.
    if (event.type === 'interrupt.raised' && log.rootOf(event.threadId) === root)
      queueMicrotask(() => decide(event.interrupt))
  })
  for (const { interrupts } of readFamily(log, root)) interrupts.forEach(decide)
  return listening
}

const rejectedBy = {
  effects: 'Rejected: this run keeps only what commands did in the sandbox (--approve effects).',
  all: 'Rejected: this call cannot be approved.',
  none: 'Rejected: this run approves nothing (--approve none).',
}

/** The patch of a thread's workspace. It has no bytes when nothing changed. */
export async function threadPatch(project: Project, threadId: ThreadId) {
  const { log } = project.services
  const branchId = readThread(log, threadId)?.branchId
  if (branchId === undefined) return exportPatch(project, emptyTree, null)
  const layers = environmentOf(log.trees, branchId)
  return exportPatch(project, log.trees.heads.get(branchId) ?? emptyTree, null, { layers })
}
