import type { JsonObject } from '#shared/base/json.ts'
import { type Result, success } from '#shared/base/result.ts'
import type { CheckDefinition, Goal } from '#shared/model/check.ts'
import { inverse } from '#shared/model/derived/undo.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { MessageId, ThreadId } from '#shared/model/ids.ts'
import { agentIn } from '#shared/model/models/agent-model.ts'
import type { Effort } from '#shared/model/models/model-facts.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import { type ApprovalMode, canBeRestored, type ThreadState } from '#shared/model/thread.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { unknownCheck } from '../checks/project-checks.ts'
import { steerNoticeEntry } from '../journal/notices.ts'
import type { LogReader } from '../journal/project-log.ts'
import { readThread } from '../journal/read-thread.ts'
import { type CommandError, type CommandProject, type Decided, refuse, write } from './command.ts'

/** Sets the model and the approval mode of a thread. Unchanged values store nothing. */
export function configureThread(
  project: CommandProject,
  { threadId, ...wanted }: { readonly threadId: ThreadId } & ThreadOptions,
): Decided {
  const thread = findActiveThread(project.log, threadId)
  if (!thread.ok) return thread
  const before = thread.value
  const { model = before.model, approvalMode = before.approvalMode } = wanted
  if (agentIn(model) !== agentIn(before.model)) return refuse('refused', otherAgent)
  const effort = changed(before.effort, wanted.effort)
  const thinking = changed(before.thinking, wanted.thinking)
  const agentMode = changed(before.agentMode, wanted.agentMode)
  const isSame = before.model === model && before.approvalMode === approvalMode
  if (isSame && effort === undefined && thinking === undefined && agentMode === undefined) return write([])
  const thought = {
    ...(effort !== undefined && { effort }),
    ...(thinking !== undefined && { thinking }),
    ...(agentMode !== undefined && { agentMode }),
  }
  return write([{ type: 'thread.configured', threadId, model, approvalMode, ...thought }])
}

const otherAgent =
  'A thread stays with its agent: an external agent cannot take over what another one has said. Start a new thread for it.'

/** What a person may change about how a thread works. What is absent stays as it is. */
export interface ThreadOptions {
  readonly model?: string | undefined
  readonly approvalMode?: ApprovalMode | undefined
  /** Null for as the settings say. */
  readonly effort?: Effort | null | undefined
  /** Null for the model's own default. */
  readonly thinking?: boolean | null | undefined
  /** The mode of its own that an external agent works in; null for the one that fits. */
  readonly agentMode?: string | null | undefined
}

/** The wanted value when it is another one; undefined for no change. */
function changed<Value>(before: Value | null | undefined, wanted: Value | null | undefined): Value | null | undefined {
  return wanted === undefined || (before ?? null) === wanted ? undefined : wanted
}

/** Sets what a root thread must reach before it is done. Refused for a check that the project does not have. */
export function setGoal(
  { log }: Pick<CommandProject, 'log'>,
  checks: readonly CheckDefinition[],
  { threadId, goal }: { readonly threadId: ThreadId; readonly goal: Goal | null },
): Decided {
  const found = findActiveThread(log, threadId)
  if (!found.ok) return found
  const unknown = goal?.checks?.find((name) => !checks.some((one) => one.name === name))
  if (unknown !== undefined) return refuse('invalid', unknownCheck(unknown, checks))
  const { model, approvalMode } = found.value
  return write([{ type: 'thread.configured', threadId, model, approvalMode, goal }])
}

/**
 * Switches the project's memory on or off for the agents of a thread. An agent that knew of it is told about the
 * switch.
 */
export function switchMemory(
  { log, prefixes, ids }: CommandProject,
  { threadId, memory }: { readonly threadId: ThreadId; readonly memory: boolean },
): Decided {
  const found = findActiveThread(log, threadId)
  if (!found.ok) return found
  const { model, approvalMode, memory: before, prompt } = found.value
  if (before === memory) return write([])
  const configured: EntryDraft = { type: 'thread.configured', threadId, model, approvalMode, memory }
  if (!prompt) return write([configured])
  const place = prefixes['/memories/']
  const text = memory
    ? `The user switched memory on for this thread: ${place} can be used.`
    : `The user switched memory off for this thread: do not rely on what you know from ${place}, it can no longer be used.`
  return write([configured, { threadId, ...steerNoticeEntry(ids.next() as MessageId, text) }])
}

/** Sets the JSON Schema that the thread's answers must fit; null for answers in words. */
export function setAnswerSchema(
  { log }: CommandProject,
  { threadId, answerSchema }: { readonly threadId: ThreadId; readonly answerSchema: JsonObject | null },
): Decided {
  const thread = findActiveThread(log, threadId)
  if (!thread.ok) return thread
  const { model, approvalMode, answerSchema: before } = thread.value
  const isSame = JSON.stringify(before) === JSON.stringify(answerSchema)
  return write(isSame ? [] : [{ type: 'thread.configured', threadId, model, approvalMode, answerSchema }])
}

export function renameThread({ log }: CommandProject, threadId: ThreadId, title: string): Decided {
  const thread = findActiveThread(log, threadId)
  return thread.ok ? write([{ type: 'thread.titled', threadId, title: oneLine(title) }]) : thread
}

/** Keeps a thread at the top of the list, or stops doing so. */
export function pinThread({ log }: CommandProject, threadId: ThreadId, pinned: boolean): Decided {
  const thread = findRootThread(log, threadId)
  if (!thread.ok) return thread
  return write(thread.value.pinned === pinned ? [] : [{ type: 'thread.pinned', threadId, pinned }])
}

/** Takes a thread out of the list, or puts it back. */
export function archiveThread({ log }: CommandProject, threadId: ThreadId, archived: boolean): Decided {
  const thread = findRootThread(log, threadId)
  if (!thread.ok) return thread
  return write(thread.value.archived === archived ? [] : [{ type: 'thread.archived', threadId, archived }])
}

/**
 * Removes a thread from every list; it can be restored for seven days, since its entries stay. Its agents must not be
 * running.
 */
export function deleteThread({ log }: CommandProject, threadId: ThreadId): Decided {
  const thread = findRootThread(log, threadId)
  if (!thread.ok) return thread
  return write(thread.value.deletedAt === null ? [{ type: 'thread.deleted', threadId }] : [])
}

export function restoreThread({ log, clock }: CommandProject, threadId: ThreadId): Decided {
  const thread = findRootThread(log, threadId)
  if (!thread.ok) return thread
  const { deletedAt } = thread.value
  if (deletedAt === null) return write([])
  if (!canBeRestored(deletedAt, clock.now()))
    return refuse('not_found', 'This thread was deleted more than seven days ago and is gone.')
  const deletion = log.entries(['thread.deleted']).findLast((entry) => entry.threadId === threadId)
  return write([(deletion && inverse(deletion)) ?? { type: 'thread.restored', threadId }])
}

/** A thread whose agents may continue. Refused when it or its root thread was deleted. */
export function findActiveThread(log: LogReader, threadId: ThreadId): Result<ThreadState, CommandError> {
  const thread = readThread(log, threadId)
  if (!thread) return refuse('not_found', 'This thread does not exist in this project.')
  if (log.state.threads.get(rootThreadOf(log.state, threadId))?.deletedAt !== null)
    return refuse('refused', 'This thread was deleted. Restore it to go on with it.')
  return success(thread)
}

/** A root thread, deleted or not. Refused for the thread of a subagent. */
export function findRootThread(log: LogReader, threadId: ThreadId): Result<ThreadState, CommandError> {
  const thread = readThread(log, threadId)
  if (!thread) return refuse('not_found', 'This thread does not exist in this project.')
  if (thread.parent !== null)
    return refuse(
      'invalid',
      'This thread belongs to a subagent. Only the thread of its main agent can be pinned, archived or deleted.',
    )
  return success(thread)
}
