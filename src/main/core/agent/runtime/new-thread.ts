import type { JsonObject } from '#shared/base/json.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { agentIn } from '#shared/model/models/agent-model.ts'
import type { Effort } from '#shared/model/models/model-facts.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import type { Commit } from '../calls/call-context.ts'
import { firstLine } from '../delegation/subagents.ts'
import type { AgentServices } from '../types/services.ts'

export interface NewThread {
  /** An id that was given out before there was something to store. Absent for a new one. */
  readonly id?: ThreadId | undefined
  /** Only its first line is kept. */
  readonly title: string
  /** Its full name. */
  readonly model: string
  /** How long it thinks; null or absent for as the settings say. */
  readonly effort?: Effort | null | undefined
  /** Whether a model thinks that can do without; null or absent for the model's own default. */
  readonly thinking?: boolean | null | undefined
  /** The mode of its own that an external agent works in; null or absent for the one that fits. */
  readonly agentMode?: string | null | undefined
  /** The mode that the thread starts in. */
  readonly approvalMode: ApprovalMode
  /** The name of its agent's definition. Absent for the external agent that the model names, or for `main`. */
  readonly agentType?: string
  /** The JSON Schema that its answers must fit; absent for answers in words. */
  readonly answerSchema?: JsonObject | undefined
}

/** The entries that begin a thread with its empty workspace. */
export function newThreadEntries(
  { ids, settings, headCommit }: AgentServices,
  options: NewThread,
  threadId: ThreadId,
): Commit {
  const { title, model, approvalMode, answerSchema, effort = null, thinking = null, agentMode = null } = options
  const agentType = agentIn(model) ?? options.agentType ?? 'main'
  const branchId = ids.next() as BranchId
  const contextScope = settings().quarantine
  const root = { agent: agentType, agentType, parent: null, depth: 0, ...(answerSchema && { answerSchema }) }
  const commit = headCommit?.() ?? null
  return [
    {
      ...{ type: 'thread.created', title: firstLine(title), branchId, model, approvalMode, contextScope },
      ...root,
      ...(commit !== null && { commit }),
    },
    { type: 'branch.forked', branchId, parentId: null, ownerThreadId: threadId, handle: null, name: 'Workspace' },
    ...(effort === null && thinking === null && agentMode === null
      ? []
      : [{ type: 'thread.configured', model, approvalMode, effort, thinking, agentMode } as const]),
  ]
}
