import { diffTrees, emptyTree, type Tree, treeHash } from '#overlay'
import type { Entry, EntryOf } from '#shared/model/entry.ts'
import type { BranchId, MessageId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { type AssistantMessage, toolCallsOf } from '#shared/model/message.ts'
import { noUsage, type Usage } from '#shared/model/models/usage.ts'
import type { QueuedMessage } from '#shared/model/thread.ts'
import { type OverlayEntry, octal, type TreeNode } from '#shared/model/tree-node.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { type BranchTrees, emptyBranchTrees, foldTrees } from '../branches/branch-trees.ts'
import type { Hashing } from '../ports/hashing.ts'
import type { ModelErrorCode } from '../ports/model-client.ts'
import type { ChangedPath, LineOf, RecordLine } from './record-format.ts'

/** What a record knows of one agent so far. */
interface AgentState {
  readonly path: string
  readonly branchId: BranchId
  /** Number of its replies, those of a program included. */
  replies: number
  /** In the order in which they were requested. */
  readonly calls: ToolCallId[]
  /** A reply whose usage is not stored yet. */
  reply: AssistantMessage | null
  /** What a summary cost that is not stored yet. */
  summary: Usage | null
  /** The tree of the last line about it. */
  told: Tree
  /** The step of the last line about its tree; null before the first. */
  toldStep: number | null
  isRunning: boolean
  /** Calls that have started and have no result. Calls that wait for other agents do not count. */
  readonly open: Set<ToolCallId>
  readonly queued: Map<MessageId, QueuedMessage['delivery']>
}

/** Turns the entries of one thread and its subagents into the lines of a record, as they happen. */
export interface ThreadFollower {
  /** Takes the next entry of the project. Entries of other threads make no lines. */
  take(entry: Entry): readonly RecordLine[]
  /** The thread of an agent by its path; undefined for none. */
  threadOf(path: string): ThreadId | undefined
  /** The path of an agent; undefined for a thread of another family. */
  pathOf(threadId: ThreadId): string | undefined
  /** The number of a call of an agent; -1 for none. */
  numberOf(threadId: ThreadId, callId: ToolCallId): number
}

/**
 * A record is made of the journal alone. So a run that is recorded while it goes on, and a thread that is exported a
 * year later, give the same lines.
 */
export function followThread(root: ThreadId, hashing: Hashing): ThreadFollower {
  const agents = new Map<ThreadId, AgentState>()
  const paths = new Map<string, ThreadId>()
  let trees: BranchTrees = emptyBranchTrees
  let asks = 0

  const create = (entry: EntryOf<'thread.created'>): readonly RecordLine[] => {
    const above = entry.parent === null ? undefined : agents.get(entry.parent.threadId)
    if (entry.threadId !== root && !above) return []
    const path = above ? `${above.path}/${entry.parent?.handle}` : 'main'
    const agent = newAgent(path, entry.branchId)
    agents.set(entry.threadId, agent)
    paths.set(path, entry.threadId)
    const asked = entry.parent?.resolves && above ? [actOf(above, 'resolution')] : []
    return [
      ...asked,
      { kind: 'agent', agent: path, type: entry.agentType, model: entry.model },
      { kind: 'name', agent: path, of: 'thread', name: entry.threadId },
      { kind: 'name', agent: path, of: 'branch', name: entry.branchId },
    ]
  }

  const headOf = ({ branchId }: AgentState): Tree => trees.heads.get(branchId) ?? emptyTree

  const tellTree = (agent: AgentState): readonly RecordLine[] => {
    const tree = headOf(agent)
    const isFirst = agent.toldStep === null
    const before = isFirst ? (trees.forkPoints.get(agent.branchId) ?? emptyTree) : agent.told
    const hash = treeHash(tree, hashing)
    if (!isFirst && agent.toldStep === agent.replies && hash === treeHash(agent.told, hashing)) return []
    agent.told = tree
    agent.toldStep = agent.replies
    return [{ kind: 'tree', agent: agent.path, step: agent.replies, tree: hash, changed: changesOf(before, tree) }]
  }

  const linesOf = (entry: Entry, agent: AgentState): readonly RecordLine[] => {
    const { path, replies } = agent
    switch (entry.type) {
      case 'run.started':
        agent.isRunning = true
        return path === 'main' ? [{ kind: 'start', agent: path, step: entry.step === true }] : []
      case 'thread.configured': {
        const { model, approvalMode, answerSchema, goal } = entry
        const more = { ...(answerSchema !== undefined && { answerSchema }), ...(goal !== undefined && { goal }) }
        return [{ kind: 'configure', agent: path, replies, asks, model, approvalMode, ...more }]
      }
      case 'message.queued':
        agent.queued.set(entry.queued.messageId, entry.queued.delivery)
        return []
      case 'message':
        if (entry.message.role === 'assistant') return takeReply(agent, entry.message)
        return [...(entry.message.attempts ? [actOf(agent, 'attempts')] : []), ...takeMessage(agent, entry)]
      case 'usage':
        return takeUsage(agent, entry)
      case 'compaction.requested':
        // A call asks again by itself.
        if (entry.callId !== undefined) return []
        return [{ kind: 'compact', agent: path, replies, atRest: !agent.isRunning }]
      case 'compacted':
        return takeSummary(agent, entry.summary)
      case 'compaction.settled':
        return takeSummary(agent, null)
      case 'tool.started':
        if (findToolFacts(entry.name).effect !== 'agents') agent.open.add(entry.callId)
        return []
      case 'tool.finished':
        // What a run closes when it ends was cut off.
        if (entry.result.outcome !== 'cancelled') agent.open.delete(entry.callId)
        return []
      case 'effects.held':
        agent.open.delete(entry.callId)
        return []
      case 'call.derived':
        agent.calls.push(entry.callId)
        return []
      case 'batch.started':
        return [{ kind: 'name', agent: path, of: 'folder', name: entry.folder }]
      case 'process.started':
        return [{ kind: 'name', agent: path, of: 'process', name: entry.processId }]
      case 'interrupt.raised':
        asks += 1
        return [{ kind: 'ask', agent: path, calls: entry.interrupt.action_requests.map(numberIn(agent)) }]
      case 'interrupt.decided': {
        const { decision } = entry
        return [{ kind: 'decision', agent: path, call: agent.calls.indexOf(decision.callId), decision }]
      }
      case 'checkpoint':
        return tellTree(agent)
      case 'run.ended':
        return takeEnd(agent, entry, treeHash(headOf(agent), hashing))
      default:
        return isAct(entry) ? [actOf(agent, entry.type)] : []
    }
  }

  return {
    take(entry) {
      if (entry.type === 'thread.created') return create(entry)
      const agent = agents.get(entry.threadId)
      if (!agent) return []
      trees = foldTrees(trees, entry)
      return linesOf(entry, agent)
    },
    threadOf: (path) => paths.get(path),
    pathOf: (threadId) => agents.get(threadId)?.path,
    numberOf: (threadId, callId) => agents.get(threadId)?.calls.indexOf(callId) ?? -1,
  }
}

function numberIn({ calls }: AgentState): (call: { readonly callId: ToolCallId }) => number {
  return ({ callId }) => calls.indexOf(callId)
}

function newAgent(path: string, branchId: BranchId): AgentState {
  return {
    ...{ path, branchId, replies: 0, calls: [], reply: null, summary: null },
    ...{ told: emptyTree, toldStep: null, isRunning: false, open: new Set(), queued: new Map() },
  }
}

function takeReply(agent: AgentState, message: AssistantMessage): readonly RecordLine[] {
  agent.replies += 1
  agent.reply = message
  for (const { callId } of toolCallsOf(message)) agent.calls.push(callId)
  return []
}

/**
 * What a person said. Notices of the loop and tasks of a parent come again by themselves; only what the app said to an
 * agent at rest does not.
 */
function takeMessage(agent: AgentState, { message }: EntryOf<'message'>): readonly LineOf<'message'>[] {
  if (message.role !== 'user') return []
  const delivery = agent.queued.get(message.messageId) ?? null
  const { origin, content, command } = message
  const isTold = origin === 'person' || (origin === 'notice' && delivery === null && !agent.isRunning)
  if (!isTold) return []
  return [
    {
      ...{ kind: 'message', agent: agent.path, replies: agent.replies, origin, content, delivery },
      ...(command && { command }),
    },
  ]
}

/** The reply of a model is stored with its usage. That of a program has none, and the program runs again. */
function takeUsage(agent: AgentState, entry: EntryOf<'usage'>): readonly RecordLine[] {
  const { usage } = entry
  if (entry.for === 'grade') return [{ kind: 'grade', agent: agent.path, text: entry.said ?? null, usage }]
  // A person asked for it between the runs, which a replay repeats alone.
  if (entry.for === 'delivery') return []
  if (entry.for === 'summary') {
    agent.summary = usage
    return []
  }
  const { reply } = agent
  agent.reply = null
  return reply === null ? [] : [{ kind: 'reply', agent: agent.path, number: agent.replies, message: reply, usage }]
}

/** A compaction that asked no model had nothing to summarise. */
function takeSummary(agent: AgentState, text: string | null): readonly RecordLine[] {
  const usage = agent.summary ?? (text === null ? null : noUsage)
  agent.summary = null
  return usage === null ? [] : [{ kind: 'summary', agent: agent.path, text, usage }]
}

function takeEnd(agent: AgentState, entry: EntryOf<'run.ended'>, tree: string): readonly RecordLine[] {
  const { status, reason, message, cause } = entry
  agent.isRunning = false
  const given = agent.summary === null ? [] : takeSummary(agent, null)
  const running = [...agent.open].map((callId) => agent.calls.indexOf(callId))
  agent.open.clear()
  const error = { kind: 'error', agent: agent.path, number: agent.replies + 1, message } as const
  return [
    ...given,
    ...(cause === undefined ? [] : [{ ...error, code: cause as ModelErrorCode }]),
    { kind: 'end', agent: agent.path, step: agent.replies, status, reason, tree, running },
  ]
}

function actOf({ path, replies }: AgentState, what: string): LineOf<'act'> {
  return { kind: 'act', agent: path, step: replies, what }
}

/** True for what a person did to branches or to the conversation, which a replay cannot repeat. */
function isAct(entry: Entry): boolean {
  switch (entry.type) {
    case 'tree.changed':
      return entry.callId === null
    case 'branch.merged':
    case 'branch.discarded':
      return entry.by === 'person'
    case 'thread.copied':
    case 'batch.changed':
    case 'batch.retried':
    case 'branch.restored':
    case 'merge.undone':
    case 'rewound':
    case 'apply.finished':
    case 'apply.undone':
      return true
    default:
      return false
  }
}

function changesOf(before: Tree, after: Tree): ChangedPath[] {
  return diffTrees(before, after).map(([path, [, entry]]) => [path, describeEntry(entry), describeBase(entry)])
}

function describeEntry(entry: OverlayEntry | null): string | null {
  if (entry === null) return null
  const { node, opaque, renamedFrom } = entry
  const from = renamedFrom === undefined ? '' : `, renamed from ${renamedFrom}`
  return `${node === null ? 'deleted' : describeNode(node)}${opaque ? ', hides the folder below' : ''}${from}`
}

function describeBase(entry: OverlayEntry | null): string | null {
  return entry?.pin ? describeNode(entry.pin) : null
}

function describeNode(node: TreeNode): string {
  if (node.kind === 'directory') return 'folder'
  if (node.kind === 'symlink') return `link to ${node.target}`
  return `${node.executable ? 'program' : 'file'} ${node.blob}${node.mode === undefined ? '' : ` ${octal(node.mode)}`} (${node.size} bytes)`
}
