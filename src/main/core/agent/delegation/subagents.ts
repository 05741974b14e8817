import { branchDiff, emptyTree, entriesWithin, listChanges } from '#overlay'
import type { JsonObject, JsonValue } from '#shared/base/json.ts'
import { isNonEmpty, type NonEmpty } from '#shared/base/non-empty.ts'
import type { BranchDiff } from '#shared/model/branch.ts'
import { defaultType } from '#shared/model/derived/batch.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { BranchId, Handle, MessageId, ThreadId } from '#shared/model/ids.ts'
import { formatAnswerNote } from '#shared/model/messages/message-notes.ts'
import { agentIn, ownModelIn } from '#shared/model/models/agent-model.ts'
import type { Effort } from '#shared/model/models/model-facts.ts'
import { modelFamily } from '#shared/model/models/model-family.ts'
import { childrenOf, type ProjectState, rootThreadOf } from '#shared/model/project-state.ts'
import {
  answerOf,
  type ContextScope,
  chosenModel,
  lastReportOf,
  type ParentLink,
  type ThreadState,
} from '#shared/model/thread.ts'
import { indexOfLinked, type Todo, type TodoStatus } from '#shared/model/todos/todo.ts'
import { rootPath } from '#shared/model/virtual-path.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { commitAlways } from '../../journal/project-log.ts'
import type {
  BackgroundSubagents,
  SpawningCall,
  SubagentOutcome,
  Subagents,
  SubagentTask,
} from '../../tools/delegate/delegation.ts'
import { stateSummary } from '../context/inherited.ts'
import { type AgentDefinition, definitionOf } from '../types/agent-definition.ts'
import type { AgentServices } from '../types/services.ts'
import { mergeTuning } from '../types/tuning.ts'
import { createFamilyNames, type FamilyNames, nameFromTask } from './agent-name.ts'
import { branchPatch } from './branch-patch.ts'
import { priceProblem } from './budgets.ts'
import { filterResult } from './filters.ts'

/** `runThread` runs a thread to its end, or joins the run that is active. */
export function createSubagents(
  services: AgentServices,
  runThread: (threadId: ThreadId, signal: AbortSignal) => Promise<void>,
  isRunning: (threadId: ThreadId) => boolean,
): Omit<Subagents, keyof BackgroundSubagents> {
  const { log } = services
  return {
    get types() {
      return services.extensions.current().agents
    },
    startProblem: (type) => startProblem(services, type),
    patchOf: (branchId, access, limit) => branchPatch(services, branchId, access, limit),
    hasForked: (call) => startedBy(log.state, call).length > 0,
    fork(call, tasks) {
      const started = startedBy(log.state, call)
      const parent = log.state.threads.get(call.threadId)
      if (started.length > 0 || !parent || !isNonEmpty(tasks)) return started.map(({ id }) => id)
      const planned = tasks.map((task) => plannedTask(services, parent, task))
      if (!isNonEmpty(planned)) return []
      commitAlways(
        log,
        forkDrafts({ state: log.state, parent, call, tasks: planned, nextId: () => services.ids.next() }),
      )
      return startedBy(log.state, call).map(({ id }) => id)
    },
    async run(_caller, threadIds, signal) {
      const run = (ids: readonly ThreadId[]) =>
        Promise.all(ids.map((id) => runLinked(services, id, () => runThread(id, signal))))
      await run(threadIds)
      // A person may have let one that failed go on while the others still worked.
      for (let again = threadIds.filter(isRunning); again.length > 0; again = threadIds.filter(isRunning)) {
        signal.throwIfAborted()
        await run(again)
      }
      signal.throwIfAborted()
      return Promise.all(threadIds.map((id) => outcomeOf(services, id)))
    },
  }
}

/** Why no subagent of the type can start now; undefined when one can. */
export function startProblem(services: AgentServices, type: string): string | undefined {
  const { agents } = services.extensions.current()
  const definition = agents.find(({ name }) => name === type)
  if (!definition)
    return `There is no subagent type "${type}". Types: ${agents.map(({ name }) => oneLine(name)).join(', ')}.`
  const given = definition.model ?? services.settings().subagentModel
  const family = given === null ? null : modelFamily(given)
  const model = family === null ? given : services.newestOf(family, null)
  if (model === null) return undefined
  const resolved = services.resolveModel(model)
  const problem = resolved.ok ? priceProblem(services, resolved.value) : resolved.error
  return problem === undefined ? undefined : `A subagent of the type ${type} cannot start: ${problem}`
}

/** The full name of a type's model; null for the model of the agent that starts it, which is `besides`. */
function modelOf(
  { resolveModel, newestOf, settings }: AgentServices,
  definition: AgentDefinition,
  besides: string,
): string | null {
  const model = definition.model ?? settings().subagentModel
  const family = model === null ? null : modelFamily(model)
  if (family !== null) return newestOf(family, besides)
  const resolved = model === null ? undefined : resolveModel(model)
  if (!resolved?.ok) return null
  const isSameAgent = agentIn(resolved.value) !== null && agentIn(resolved.value) === agentIn(besides)
  // Of its own models, an external agent gives its subagents the one that it has.
  return isSameAgent && ownModelIn(resolved.value) === null ? besides : resolved.value
}

/**
 * A task of an external agent without a type goes to the same agent, which is what has its prompt and its tools. Unless
 * the settings say which model subagents have.
 */
function typeBelow(services: AgentServices, { agentType, model }: ThreadState, type: string): string {
  const isPlain = type === defaultType && services.settings().subagentModel === null
  return isPlain && agentIn(model) !== null ? agentType : type
}

/** The model of a type that names none. One with a prompt of its own cannot be an external agent, which has another. */
function modelBelow(services: AgentServices, above: ThreadState, { program }: AgentDefinition): string {
  const model = chosenModel(above)
  if (agentIn(model) === null || program !== null) return model
  const usual = services.resolveModel(services.settings().usualModel)
  return usual.ok ? usual.value : model
}

/** Moves the linked todo along with the run. A subagent that ended for good is not run again. */
export async function runLinked(services: AgentServices, id: ThreadId, run: () => Promise<void>): Promise<void> {
  const before = threadOf(services, id)
  if (before.end !== null && before.end.status !== 'interrupted') return
  moveTodo(services, id, 'in_progress')
  await run()
  const { end } = threadOf(services, id)
  if (end?.status === 'done') {
    if (!sharesCard(services, before)) moveTodo(services, id, 'completed')
  } else if (end && end.status !== 'interrupted') moveTodo(services, id, 'pending', end.message)
}

/** True when another subagent of the same call still works on the card. The last one completes it. */
function sharesCard({ log }: AgentServices, { id, parent }: ThreadState): boolean {
  if (!parent) return false
  return startedBy(log.state, parent).some(
    (other) => other.id !== id && other.parent?.todoIndex === parent.todoIndex && other.end?.status !== 'done',
  )
}

function todosOf({ log }: AgentServices, id: ThreadId): readonly Todo[] {
  return log.state.threads.get(rootThreadOf(log.state, id))?.todos ?? []
}

/** Gives the linked todo a status. Does nothing when the list no longer holds it. */
function moveTodo(services: AgentServices, id: ThreadId, status: TodoStatus, error?: string): void {
  const { log } = services
  const threadId = rootThreadOf(log.state, id)
  const todos = todosOf(services, id)
  const index = indexOfLinked(todos, log.state.threads.get(id))
  const content = todos[index]?.content
  if (content === undefined) return
  const moved = { content, status, ...(error !== undefined && { error }) }
  commitAlways(log, [{ type: 'todos.written', threadId, todos: todos.with(index, moved), by: 'loop' }])
}

export async function outcomeOf(services: AgentServices, id: ThreadId): Promise<SubagentOutcome> {
  const thread = threadOf(services, id)
  if (!thread.parent) throw new Error(`Thread ${id} is no subagent`)
  const { handle, task } = thread.parent
  const done = thread.end?.status === 'done'
  return {
    threadId: id,
    branchId: thread.branchId,
    handle,
    name: thread.agent,
    task,
    result: done || lastReportOf(thread) !== null ? resultOf(services, thread) : null,
    error: done ? null : thread.end?.message || 'The subagent did not finish.',
    diff: await diffOf(services, thread),
    endedAt: thread.end?.at ?? null,
  }
}

/**
 * What the parent reads as the result of a subagent, as its definition says: the JSON of an answer that fits its schema,
 * else a text.
 */
export function resultOf(services: AgentServices, thread: ThreadState): JsonValue {
  const { outputFilter } = definitionOf(services.extensions.current(), thread.agentType)
  if (thread.answerSchema !== null && outputFilter === 'last_message') {
    const read = services.readAnswer(thread.answerSchema, answerOf(thread))
    if (read.ok) return JSON.parse(read.value)
  }
  return filterResult(thread, outputFilter, () =>
    stateSummary({ todos: todosOf(services, thread.id) }, changedFiles(services, thread)),
  )
}

function threadOf({ log }: AgentServices, id: ThreadId): ThreadState {
  const thread = log.state.threads.get(id)
  if (!thread) throw new Error(`No thread ${id}`)
  return thread
}

/** The subagents that a call has already started, in the order of its tasks. */
function startedBy(state: ProjectState, { threadId, callId }: SpawningCall): readonly ThreadState[] {
  return childrenOf(state, threadId)
    .filter((child) => child.parent?.callId === callId)
    .sort((a, b) => (a.parent?.index ?? 0) - (b.parent?.index ?? 0))
}

/** A task with its subagent's scope and model. */
export interface PlannedTask extends SubagentTask {
  /** How much of the parent's conversation the subagent sees. */
  readonly scope: ContextScope
  /** The part of the conversation that it sees with the scope `off`; null for all of it. */
  readonly inputFilter: ThreadState['inputFilter']
  /** The task as the definition words it. */
  readonly wording: string
  /** The summary of plan and changes that follows the task; null for none. */
  readonly summary: string | null
  /** The provider's id of the model. */
  readonly model: string
  /** The JSON Schema that its answers must fit; null for answers in words. */
  readonly answerSchema: JsonObject | null
  /** How long the model thinks. Absent for as the settings say. */
  readonly effort?: Effort
}

/**
 * The entries that make new subagents in one transaction: for each a thread, a fork of the caller's branch and a task.
 */
export function forkDrafts(options: {
  readonly state: ProjectState
  readonly parent: ThreadState
  readonly call: SpawningCall
  readonly tasks: NonEmpty<PlannedTask>
  /** Position of the first one among the tasks of the call; 0 by default. */
  readonly first?: number
  /** The conflict that they are to settle. */
  readonly resolves?: ParentLink['resolves']
  readonly nextId: () => string
  /** The names of the family; absent for a call that forks once. */
  readonly names?: FamilyNames
}): NonEmpty<EntryDraft> {
  // Handles are never reused, because a rewind may bring back the subagents that it took away.
  const known = options.state.children.get(options.parent.id)?.length ?? 0
  const nameOf = namer(options.state, options.names ?? createFamilyNames(options.parent.id))
  const [head, ...rest] = options.tasks.flatMap((task, position) =>
    draftsOf(options, task, { index: (options.first ?? 0) + position, number: known + position, name: nameOf(task) }),
  )
  if (!head) throw new Error('A fork without tasks')
  return [head, ...rest]
}

/** Names the agents of new tasks: as they are called, or from their tasks. */
function namer(state: ProjectState, names: FamilyNames): (task: SubagentTask) => string {
  const taken = names(state)
  return ({ name, task }) => {
    const chosen = oneLine(name ?? '') || nameFromTask(task, (one) => taken.has(one))
    taken.add(chosen)
    return chosen
  }
}

function draftsOf(
  { parent, call, resolves, nextId }: Parameters<typeof forkDrafts>[0],
  task: PlannedTask,
  { index, number, name }: { readonly index: number; readonly number: number; readonly name: string },
): readonly EntryDraft[] {
  const threadId = nextId() as ThreadId
  const branchId = nextId() as BranchId
  const handle = `subagent_${number}` as Handle
  const { task: said, todoIndex } = task
  const link: ParentLink = { threadId: parent.id, callId: call.callId, handle, index, task: said, todoIndex }
  const texts = task.summary === null ? [task.wording] : [task.wording, task.summary]
  return [
    {
      type: 'thread.created',
      threadId,
      agent: name,
      agentType: task.subagentType,
      title: oneLine(task.name ?? '') || firstLine(task.task),
      branchId,
      parent: resolves ? { ...link, resolves } : link,
      depth: parent.depth + 1,
      model: task.model,
      approvalMode: parent.approvalMode,
      contextScope: task.scope,
      ...(task.inputFilter && { inputFilter: task.inputFilter }),
      ...(task.answerSchema && { answerSchema: task.answerSchema }),
    },
    ...(task.effort === undefined
      ? []
      : [
          {
            ...({ type: 'thread.configured', threadId, model: task.model } as const),
            ...{ approvalMode: parent.approvalMode, effort: task.effort },
          },
        ]),
    {
      type: 'branch.forked',
      threadId: parent.id,
      branchId,
      parentId: parent.branchId,
      ownerThreadId: threadId,
      handle,
      name,
    },
    ...(parent.python?.state
      ? [{ type: 'python.kept', threadId, callId: call.callId, state: parent.python.state } as const]
      : []),
    ...texts.map(
      (text): EntryDraft => ({
        type: 'message',
        threadId,
        message: {
          role: 'user',
          messageId: nextId() as MessageId,
          origin: 'parent',
          content: [{ type: 'text', text }],
        },
      }),
    ),
  ]
}

/** A title from typed text: its first line, cut. */
export function firstLine(text: string): string {
  const line = oneLine(text.trim().split('\n', 1)[0] ?? '')
  return line.length > 80 ? `${beginningOf(line, 79)}…` : line || 'New thread'
}

/**
 * A task with its subagent's scope and model. The definition decides the scope. If it does not, a nested subagent
 * inherits its parent's scope, or the settings decide.
 */
export function plannedTask(services: AgentServices, parent: ThreadState, task: SubagentTask): PlannedTask {
  const { quarantine, quarantineInherited, tuning } = services.settings()
  const subagentType = typeBelow(services, parent, task.subagentType)
  const definition = definitionOf(services.extensions.current(), subagentType)
  const inherited = parent.parent && quarantineInherited ? parent.contextScope : null
  const { forks = false } = definition
  const filter = forks ? 'off' : definition.inputFilter
  const isPart = filter === 'last_message' || filter === 'no_tools'
  const scope = isPart ? 'off' : (filter ?? definition.contextScope ?? inherited ?? quarantine)
  const template = mergeTuning(tuning, definition.tuning).promptTemplate
  const wording = template === null ? task.task : template.replaceAll('{task}', () => task.task)
  const { answerSchema = null } = definition
  const summarised = definition.includeStateSummary ?? scope === 'scoped'
  return {
    ...task,
    subagentType,
    scope,
    inputFilter: isPart ? filter : null,
    wording: `${wording}${answerSchema === null ? '' : formatAnswerNote(answerSchema)}`,
    answerSchema,
    summary: summarised ? stateSummary({ todos: todosOf(services, parent.id) }, changedFiles(services, parent)) : null,
    model:
      (forks ? null : modelOf(services, definition, chosenModel(parent))) ?? modelBelow(services, parent, definition),
  }
}

/** The files of the branch that differ from the base, without folders and deleted files. */
function changedFiles({ log }: AgentServices, { branchId }: ThreadState): readonly string[] {
  const head = log.trees.heads.get(branchId) ?? emptyTree
  return [...entriesWithin(head, rootPath)].flatMap(([path, { node }]) =>
    node === null || node.kind === 'directory' ? [] : [path],
  )
}

/** The changes of a subagent's branch since its fork point. */
export async function diffOf({ log, base, blobs }: AgentServices, { branchId }: ThreadState): Promise<BranchDiff> {
  const from = log.trees.forkPoints.get(branchId)
  const to = log.trees.heads.get(branchId)
  if (!from || !to) return { written: [], deleted: [], renamed: [] }
  return branchDiff(await listChanges({ base, blobs, from, to }))
}
