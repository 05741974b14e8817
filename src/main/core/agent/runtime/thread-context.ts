import { appliesTo, emptyTree, patchTree, type Tree, treeHash, wholeChanges } from '#overlay'
import type { ThreadId } from '#shared/model/ids.ts'
import { agentPathOf, rootThreadOf } from '#shared/model/project-state.ts'
import { answeringModel, answerOf, type ThreadState } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { fileAccess } from '../../approval/file-policy.ts'
import type { PolicyOptions } from '../../approval/policy.ts'
import type { BranchMerges } from '../../branches/branch-merges.ts'
import { environmentOf, patchesOf } from '../../branches/branch-trees.ts'
import type { Batches, Subagents } from '../../tools/delegate/delegation.ts'
import { realFileReason } from '../../tools/namespace/routes.ts'
import type { UsedCallIds } from '../calls/used-call-ids.ts'
import { createConversation } from '../context/conversation.ts'
import { messageTokensOf, showMessages } from '../context/eviction.ts'
import { inheritedMessages } from '../context/inherited.ts'
import { spentBudget } from '../delegation/budgets.ts'
import type { Reservations } from '../delegation/reservations.ts'
import type { BranchProcesses } from '../processes/branch-processes.ts'
import { freezePrompt } from '../prompt/freeze-prompt.ts'
import { stagesOf } from '../stages/hook-place.ts'
import type { LoopContext, RunMode } from '../types/loop-context.ts'
import type { AgentServices } from '../types/services.ts'
import { mergeTuning } from '../types/tuning.ts'
import { createAgentPolicy, createLimitedJudge, strictestMode } from './agent-policy.ts'
import { reachedAccess } from './call-access.ts'
import { effectsAsked } from './effects-asked.ts'
import { keepLast } from './keep-last.ts'
import { openWorkspace } from './open-workspace.ts'
import { threadGoal } from './thread-goal.ts'
import { threadLimits } from './thread-limits.ts'

export interface ThreadHooks {
  /** Starts subagents for a tool call. */
  readonly subagents: Subagents
  /** Runs many tasks of one tool call. */
  readonly batches: Batches
  /** Plans merges by handle. */
  readonly merges: BranchMerges
  /** The external agents. */
  readonly external: LoopContext['external']
  /** The commands of agents that stay. */
  readonly processes: BranchProcesses
  /** Files in which branches of the project do not join. */
  readonly overlaps: (threadId: ThreadId) => ReturnType<LoopContext['others']['overlaps']>
  /** Call ids that the thread's family has used. */
  readonly usedCallIds: UsedCallIds
  /** What the model calls of all threads may cost. */
  readonly reservations: Reservations
  /** As requested. A subagent runs in `work` unless the mode is `calls`. */
  readonly mode: RunMode
  /** Resolves when the thread has no undecided calls. Rejects with the abort reason. */
  untilDecided(threadId: ThreadId, signal: AbortSignal): Promise<void>
  readonly waits: {
    /** Resolves at the next wake of the thread. Rejects with the abort reason. */
    retried(threadId: ThreadId, signal: AbortSignal): Promise<void>
    /** Resolves when the machine slept and is awake again. Rejects with the abort reason. */
    awake(threadId: ThreadId, signal: AbortSignal): Promise<void>
  }
  readonly background: LoopContext['background']
}

/** Wires the loop of one thread for one run. */
export async function threadContext(
  services: AgentServices,
  threadId: ThreadId,
  hooks: ThreadHooks,
): Promise<LoopContext> {
  const { log, clock, ids } = services
  const thread = (): ThreadState => requireThread(services, threadId)
  const parent = thread().parent
  if (parent === null) await services.drift.follow(thread().branchId)
  await services.hooks.refresh()
  const { definition, system, tools, toolSpecs, news } = await freezePrompt(services, threadId, hooks)
  const settings = services.settings()
  const policy = createAgentPolicy(services, definition)
  const unaskedAccess = keepLast((options: PolicyOptions) => fileAccess(options))
  const approvedAccess = keepLast((options: PolicyOptions) => fileAccess(options, true))
  const tuning = mergeTuning(settings.tuning, definition.tuning)
  const messageTokens = messageTokensOf(settings, tuning, tools())
  const keepText: LoopContext['keepText'] = (prefix, name, text) => {
    const path = `${services.prefixes[prefix]}${name}` as VirtualPath
    services.scratch.write(rootThreadOf(log.state, threadId), path, new TextEncoder().encode(text))
    return path
  }
  const show = showMessages(messageTokens, (name, text) => keepText('/inputs/', name, text))
  const root = () => log.state.threads.get(rootThreadOf(log.state, threadId))
  const head = (): Tree => log.trees.heads.get(thread().branchId) ?? emptyTree
  return {
    threadId,
    agentPath: agentPathOf(log.state, threadId),
    news,
    system,
    get tools() {
      return tools()
    },
    get toolSpecs() {
      return toolSpecs()
    },
    inherited: inheritedMessages(thread(), parent ? log.state.threads.get(parent.threadId) : undefined, show),
    conversation: createConversation(show),
    judge: createLimitedJudge(services, policy, thread),
    hosts: definition.program?.kind === 'command' ? definition.program.hosts : [],
    external: hooks.external,
    approvalMode: () => strictestMode(services, thread()),
    accessOf: (tool, args) => reachedAccess(services, head(), hooks.processes.list(threadId), tool, args),
    program: definition.program,
    stages: stagesOf(services, thread, { tuning, tree: head, access: () => unaskedAccess(policy()) }),
    models: {
      clientOf: services.modelFor,
      gateFor: services.gateFor,
      windowOf: services.contextWindow,
      summary: () => summaryModel(services, thread()),
      fallbacks: () => usableModels(services, services.settings().fallback),
    },
    retry: settings.retry,
    clock,
    limits: threadLimits(services, { thread: thread(), definition, settings, tuning, messageTokens, root: root() }),
    mode: parent === null || hooks.mode === 'calls' ? hooks.mode : 'work',
    thread,
    answerProblem() {
      const { answerSchema, parent } = thread()
      if (answerSchema === null || parent === null) return null
      const read = services.readAnswer(answerSchema, answerOf(thread()))
      return read.ok ? null : read.error
    },
    instructionsAt: (path) => services.extensions.instructionsAt(path),
    goal: threadGoal(services, thread, definition.goal ?? null),
    spentBudget: () => spentBudget(log.state, thread(), settings, clock.now()),
    async reserve(request, signal) {
      await hooks.batches.attempts.pass(threadId, signal)
      return hooks.reservations.reserve(threadId, request, signal)
    },
    usedCallIds: (callIds) => hooks.usedCallIds.among(threadId, callIds),
    others: {
      drift: () => services.drift.of(thread().branchId),
      overlaps: () => hooks.overlaps(threadId),
    },
    openWorkspace: async (signal, { approved, written }, tree = head()) => {
      const access = approved ? approvedAccess(policy()) : unaskedAccess(policy())
      return openWorkspace(services, threadId, { access, tree, written, signal })
    },
    branch: {
      tree: head,
      ground: () => ({
        ...{ tree: head(), environment: environmentOf(log.trees, thread().branchId) },
        ...{ after: null, reads: [], python: undefined },
      }),
      hashOf: (tree) => treeHash(tree, services.hashing),
      changesBetween: (from, to) => wholeChanges({ base: services.base, from, to }),
      blobs: services.blobs,
      rules: () => policy().rules,
      hosts: () => policy().hosts ?? [],
    },
    describeEnvironment: () => services.setup.describe(),
    realFileReason: ({ writes }) => realFileReason(services.routes, writes),
    ...effectsAsked(services, threadId, { head, policy, access: () => approvedAccess(policy()) }),
    stillApplies: (patch) => appliesTo(head(), patch),
    withCheckpoint: (entries) => {
      const own = entries.flatMap(patchesOf).filter(({ branchId }) => branchId === thread().branchId)
      const after = own.reduce((tree, { patch }) => patchTree(tree, patch), head())
      const [step, hash] = [thread().iterations, treeHash(after, services.hashing)]
      return [...entries, { type: 'checkpoint', step, treeHash: hash }]
    },
    keepText,
    processes: () => hooks.processes.list(threadId),
    async endProcesses() {
      // The agent of a thread that a person goes on with stays for the next message.
      if (parent !== null) await hooks.external.end(threadId)
      await hooks.processes.endWithRun(threadId)
    },
    untilDecided: (signal) => hooks.untilDecided(threadId, signal),
    waits: {
      retried: (signal) => hooks.waits.retried(threadId, signal),
      awake: (signal) => hooks.waits.awake(threadId, signal),
    },
    background: hooks.background,
    live: (event) => services.announce({ ...event, threadId, at: clock.now(), sequence: log.state.sequence }),
    nextId: () => ids.next(),
    random: services.random,
  }
}

/** The model that summarises, grades and proposes messages for a thread. */
export function summaryModel(services: AgentServices, thread: ThreadState): string {
  return usableModels(services, [services.settings().summaryModel])[0] ?? answeringModel(thread)
}

/** The models of the settings that a profile has, by their full names. */
function usableModels({ resolveModel }: AgentServices, names: readonly (string | null)[]): readonly string[] {
  return names.flatMap((name) => {
    const resolved = name === null ? null : resolveModel(name)
    return resolved?.ok ? [resolved.value] : []
  })
}

function requireThread({ log }: AgentServices, threadId: ThreadId): ThreadState {
  const thread = log.state.threads.get(threadId)
  if (!thread) throw new Error(`No thread ${threadId}`)
  return thread
}
