import { valuesOf } from '../../base/chain.ts'
import { copied, type Grow, growingInPlace } from '../../base/grow.ts'
import { LayeredMap } from '../../base/layered-map.ts'
import type { Branch } from '../branch.ts'
import { mergedBranches } from '../compose/merged-branches.ts'
import type { Entry, EntryOf, EntryType } from '../entry.ts'
import type { BranchId, ThreadId } from '../ids.ts'
import { addUsage, noSpending, noUsage, type Spending, tokensOf } from '../models/usage.ts'
import { checkpointOf, type ProjectState, rootThreadOf } from '../project-state.ts'
import { type SnapshotMark, withVersion } from '../snapshots.ts'
import type { FoundTool, ThreadState } from '../thread.ts'
import { copyAsked } from './calls.ts'
import { foldChecks } from './checks.ts'
import { foldMemories } from './memories.ts'
import { foldProcesses } from './processes.ts'
import { recordSnapshot } from './record-snapshot.ts'
import { foldRewound } from './rewind.ts'
import { foldTerminals } from './terminals.ts'
import { foldCall, foldRun, isCallEntry, withDiskNote, withOwnModel } from './threads.ts'

/**
 * One entry's effect on the project. Restart, rewind and the renderer share this fold, so it depends on nothing but the
 * state before and the entry. Entries of unknown threads change only the sequence.
 */
export function fold(state: ProjectState, entry: Entry): ProjectState {
  return foldGrowing(state, entry, copied)
}

/** A fold for many entries, with the same result as `fold`. Its cost grows only with their number. */
export function createReplay(): (state: ProjectState, entry: Entry) => ProjectState {
  const grow = growingInPlace()
  return (state, entry) => foldGrowing(state, entry, grow)
}

function foldGrowing(state: ProjectState, entry: Entry, grow: Grow): ProjectState {
  const { threadId, sequence, at } = entry
  const opened = opening(entry)
  // Sequences have no gaps, and the entry before may be one of a family that is not in this state.
  const kept = opened ? recordSnapshot(state, threadId, { sequence: sequence - 1, at, mark: opened }) : state
  const folded = foldEntry(kept, entry, grow)
  const closed = closing(entry)
  return closed ? recordSnapshot(folded, threadId, { sequence, at, mark: closed }) : folded
}

/** The mark of the state before an entry that a rewind can go back to; undefined for all other entries. */
function opening(entry: Entry): SnapshotMark | undefined {
  if (entry.type === 'rewound') return { kind: 'before_rewind' }
  if (entry.type !== 'message' || entry.message.role !== 'user' || entry.message.origin !== 'person') return undefined
  return { kind: 'message', message: entry.message }
}

function closing(entry: Entry): SnapshotMark | undefined {
  if (entry.type === 'checkpoint') return { kind: 'step', treeHash: entry.treeHash }
  if (entry.type === 'rewound') return { kind: 'rewind' }
  return entry.type === 'run.ended' || entry.type === 'thread.copied' ? { kind: 'end' } : undefined
}

const parts = [foldBranches, foldMemories, foldSpending, foldProcesses, foldTerminals, foldChecks] as const

function foldEntry(state: ProjectState, entry: Entry, grow: Grow): ProjectState {
  if (entry.type === 'rewound') return foldRewound({ ...state, sequence: entry.sequence }, entry)
  const next = parts.reduce((folded, foldPart) => foldPart(folded, entry), state)
  const thread = entry.type === 'thread.created' ? createThread(entry, state) : next.threads.get(entry.threadId)
  if (!thread) return { ...next, sequence: entry.sequence }
  const source = entry.type === 'thread.copied' ? foldCopied(state, thread, entry) : thread
  const changed = foldThread(source, entry, grow)
  const folded = listActs.has(entry.type) ? changed : { ...changed, updatedAt: entry.at, lastSequence: entry.sequence }
  const children = entry.type === 'thread.created' ? withChild(next.children, entry, grow) : next.children
  const threads = next.threads.with(thread.id, folded)
  return { ...next, sequence: entry.sequence, threads: renameLinks(threads, entry), children }
}

/** Changes to how a thread appears in lists, and what a person does beside it. They are not activity in the thread. */
const listActs: ReadonlySet<EntryType> = new Set<EntryType>([
  'thread.titled',
  'thread.pinned',
  'thread.archived',
  'thread.deleted',
  'thread.restored',
  'terminal.started',
  'terminal.ended',
  'terminal.decided',
  'checkout.made',
  'checkout.ended',
  'session.began',
  'session.ended',
])

function withChild(
  children: ProjectState['children'],
  { parent, threadId }: EntryOf<'thread.created'>,
  grow: Grow,
): ProjectState['children'] {
  return parent === null
    ? children
    : children.with(parent.threadId, grow(children.get(parent.threadId) ?? [], threadId))
}

/** True when the last run ended because its goal was not reached. */
function waitsForGoal({ status, end }: ThreadState): boolean {
  return status === 'needs_you' && end?.reason === 'goal'
}

/** Two calls beside each other may find the same tool. It is shown as it was found first. */
function withFound(prompt: NonNullable<ThreadState['prompt']>, tools: readonly FoundTool[]): ThreadState['prompt'] {
  const { found = [] } = prompt
  const names = new Set(found.map(({ name }) => name))
  return { ...prompt, found: [...found, ...tools.filter(({ name }) => !names.has(name) && names.add(name))] }
}

/** What a person chose for the thread. */
function withChoices(thread: ThreadState, entry: EntryOf<'thread.configured'>): ThreadState {
  return {
    ...(entry.model === thread.model ? thread : withOwnModel(thread)),
    model: entry.model,
    approvalMode: entry.approvalMode,
    memory: entry.memory ?? thread.memory,
    answerSchema: entry.answerSchema === undefined ? thread.answerSchema : entry.answerSchema,
    ...(entry.goal !== undefined && { goal: entry.goal }),
    ...(entry.effort !== undefined && { effort: entry.effort }),
    ...(entry.thinking !== undefined && { thinking: entry.thinking }),
    ...(entry.agentMode !== undefined && { agentMode: entry.agentMode }),
    // Without the goal, the work that did not reach it is accepted.
    ...(entry.goal === null && waitsForGoal(thread) && { status: 'done' as const }),
  }
}

function foldThread(thread: ThreadState, entry: Entry, grow: Grow): ThreadState {
  if (isCallEntry(entry)) return foldCall(thread, entry, grow)
  switch (entry.type) {
    case 'thread.prepared':
      return {
        ...thread,
        prompt: { ...thread.prompt, frozen: thread.prompt?.frozen ?? entry.prompt, announced: entry.prompt },
      }
    case 'tools.found':
      return thread.prompt ? { ...thread, prompt: withFound(thread.prompt, entry.tools) } : thread
    case 'thread.titled':
      return { ...thread, title: entry.title }
    case 'thread.configured':
      return withChoices(thread, entry)
    case 'plan.approved':
      return { ...thread, approvalMode: entry.approvalMode }
    case 'thread.pinned':
      return { ...thread, pinned: entry.pinned }
    case 'thread.archived':
      return { ...thread, archived: entry.archived }
    case 'thread.deleted':
    case 'thread.restored':
      return { ...thread, deletedAt: entry.type === 'thread.deleted' ? entry.at : null }
    case 'run.started':
    case 'run.ended':
      return foldRun(thread, entry)
    case 'message.queued':
      return {
        ...thread,
        queue: [...thread.queue.filter(({ messageId }) => messageId !== entry.replaces), entry.queued],
      }
    case 'queue.changed': {
      const known = new Map(thread.queue.map((queued) => [queued.messageId, queued]))
      if (entry.edited) known.set(entry.edited.messageId, entry.edited)
      return { ...thread, queue: entry.order.flatMap((id) => known.get(id) ?? []) }
    }
    case 'instructions.told':
      return { ...thread, instructed: [...thread.instructed, ...entry.files] }
    case 'todos.written':
      return { ...thread, todos: entry.todos }
    case 'python.kept':
      return { ...thread, python: { state: entry.state, wentBack: false } }
    case 'drift.told':
      return entry.files.reduce(
        (told, { path, disk }) =>
          withDiskNote(told, path, { read: thread.diskNotes.get(path)?.read ?? null, announced: disk }),
        thread,
      )
    case 'usage':
      return foldUsage(thread, entry)
    case 'model.fell_back': {
      const failed = [...(thread.fallback?.failed ?? []), entry.from]
      const fallback = {
        ...{ from: entry.from, model: entry.to, reason: entry.reason, failed },
        after: thread.messages.length,
      }
      return { ...thread, fallback, fallbacks: [...(thread.fallbacks ?? []), fallback] }
    }
    case 'compaction.requested':
    case 'compaction.settled':
      return { ...thread, compactionRequested: entry.type === 'compaction.requested' }
    case 'compacted': {
      const { summary, keptFrom, file, pastes } = entry
      const compaction = { summary, keptFrom, file, pastes }
      return { ...thread, compaction, compactionRequested: false, contextTokens: null }
    }
    default:
      return thread
  }
}

function foldUsage(thread: ThreadState, { usage, model, for: purpose, held }: EntryOf<'usage'>): ThreadState {
  const contextTokens = purpose !== undefined ? thread.contextTokens : (held ?? tokensOf(usage))
  const ofModel = addUsage(thread.usageByModel.get(model) ?? noUsage, usage)
  const usageByModel = thread.usageByModel.with(model, ofModel)
  return { ...thread, usage: addUsage(thread.usage, usage), usageByModel, contextTokens }
}

/** Subagents stay linked to a todo whose text a person changed. */
function renameLinks(threads: ProjectState['threads'], entry: Entry): ProjectState['threads'] {
  if (entry.type !== 'todos.written' || !entry.renamed) return threads
  const { from, to } = entry.renamed
  const linked = [...threads.values()].filter(
    (thread) => thread.linkedTodo === from && rootThreadOf({ threads }, thread.id) === entry.threadId,
  )
  return linked.reduce((renamed, thread) => renamed.with(thread.id, { ...thread, linkedTodo: to }), threads)
}

/** The text of the todo that a subagent was started for; null for none. */
function linkedTodoOf(state: ProjectState, { parent }: EntryOf<'thread.created'>): string | null {
  if (!parent || parent.todoIndex === null) return null
  const root = state.threads.get(rootThreadOf(state, parent.threadId))
  return root?.todos[parent.todoIndex]?.content ?? null
}

function createThread(entry: EntryOf<'thread.created'>, state: ProjectState): ThreadState {
  return {
    id: entry.threadId,
    agent: entry.agent,
    agentType: entry.agentType,
    title: entry.title,
    pinned: false,
    archived: false,
    deletedAt: null,
    memory: true,
    answerSchema: entry.answerSchema ?? null,
    branchId: entry.branchId,
    parent: entry.parent,
    depth: entry.depth,
    model: entry.model,
    approvalMode: entry.approvalMode,
    contextScope: entry.contextScope,
    inputFilter: entry.inputFilter ?? null,
    prompt: null,
    createdAt: entry.at,
    updatedAt: entry.at,
    status: 'idle',
    end: null,
    runStartedAt: null,
    stepping: false,
    costLimit: null,
    assumedPrice: null,
    iterations: 0,
    messages: [],
    calls: LayeredMap.empty(),
    derivedCalls: [],
    contentHashes: LayeredMap.empty(),
    diskNotes: LayeredMap.empty(),
    instructed: [],
    todos: [],
    python: null,
    linkedTodo: linkedTodoOf(state, entry),
    interrupts: [],
    queue: [],
    usage: noUsage,
    usageByModel: LayeredMap.empty(),
    usageBeforeRun: noUsage,
    contextTokens: null,
    compaction: null,
    compactionRequested: false,
    rewinds: [],
    lastSequence: entry.sequence,
  }
}

function foldBranches(state: ProjectState, entry: Entry): ProjectState {
  switch (entry.type) {
    case 'branch.forked':
      return withBranch(state, entry, {
        id: entry.branchId,
        threadId: entry.ownerThreadId,
        parentId: entry.parentId,
        handle: entry.handle,
        name: entry.name,
        forkedAt: entry.sequence,
        status: 'open',
        merges: [],
      })
    case 'branch.merged': {
      const paths = [...entry.result.written, ...entry.result.deleted, ...entry.result.merged]
      const note = { sequence: entry.sequence, paths, forced: entry.forced, by: entry.by, undone: false }
      return mergedBranches(entry).reduce(
        (folded, branchId) =>
          updateBranch(folded, { ...entry, branchId }, (branch) => ({
            ...branch,
            merges: branch.merges.concat([note]),
          })),
        state,
      )
    }
    case 'branch.discarded':
      return updateBranch(state, entry, (branch) =>
        entry.whole ? { ...branch, status: 'discarded', discardedAt: entry.at } : branch,
      )
    case 'branch.restored':
      return updateBranch(state, entry, ({ discardedAt: _, ...branch }) => ({ ...branch, status: 'open' }))
    case 'merge.undone':
      return [entry.branchId, ...(entry.others ?? [])].reduce(
        (folded, branchId) =>
          updateBranch(folded, { ...entry, branchId }, (branch) => ({
            ...branch,
            merges: branch.merges.map((note) => (note.sequence === entry.of ? { ...note, undone: true } : note)),
          })),
        state,
      )
    default:
      return state
  }
}

function withBranch(state: ProjectState, { sequence }: Entry, branch: Branch): ProjectState {
  const past = withVersion(state.past, branch, sequence)
  return { ...state, branches: state.branches.with(branch.id, branch), past }
}

function updateBranch(
  state: ProjectState,
  entry: Entry & { readonly branchId: BranchId },
  change: (branch: Branch) => Branch,
): ProjectState {
  const branch = state.branches.get(entry.branchId)
  return branch ? withBranch(state, entry, change(branch)) : state
}

/** A thousand subagents ask for their family's spending before every request, so the sum is kept up to date. */
function foldSpending(state: ProjectState, entry: Entry): ProjectState {
  if (entry.type !== 'usage' && entry.type !== 'run.started') return state
  const thread = state.threads.get(entry.threadId)
  if (!thread) return state
  const root = state.threads.get(rootThreadOf(state, thread.id)) ?? thread
  const known = state.spending.get(root.id) ?? noSpending
  if (entry.type === 'run.started')
    return thread === root ? withSpending(state, root.id, { ...known, run: noUsage }) : state
  const isOfRun = thread === root || thread.createdAt >= (root.runStartedAt ?? Number.POSITIVE_INFINITY)
  return withSpending(state, root.id, {
    ever: addUsage(known.ever, entry.usage),
    run: isOfRun ? addUsage(known.run, entry.usage) : known.run,
  })
}

function withSpending(state: ProjectState, root: ThreadId, spending: Spending): ProjectState {
  return { ...state, spending: state.spending.with(root, spending) }
}

/** Copies what the other agent said, knew and planned. What it was waiting for is not copied. */
function foldCopied(state: ProjectState, thread: ThreadState, { from, to }: EntryOf<'thread.copied'>): ThreadState {
  const source = checkpointOf(state, from, to)
  if (!source?.thread) return thread
  const { calls, derivedCalls, contentHashes, diskNotes, instructed, todos, prompt, python } = source.thread
  const { compaction, contextTokens } = source.thread
  const asked = new Set(
    source.thread.interrupts.flatMap(({ action_requests }) => action_requests.map(({ callId }) => callId)),
  )
  const unasked = [...asked].reduce((known, callId) => {
    const call = known.get(callId)
    return call ? known.with(callId, copyAsked(call)) : known
  }, calls)
  const copied = {
    calls: unasked,
    derivedCalls,
    contentHashes,
    diskNotes,
    instructed,
    todos,
    prompt,
    python,
    compaction,
    contextTokens,
  }
  return { ...thread, ...copied, messages: valuesOf(source.messages) }
}
