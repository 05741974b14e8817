import { LayeredMap } from '../base/layered-map.ts'
import type { Branch } from './branch.ts'
import type { Entry, EntryOf } from './entry.ts'
import { foldCall, isCallEntry, withDiskNote } from './fold-calls.ts'
import { foldRun } from './fold-run.ts'
import type { BranchId } from './ids.ts'
import type { ProjectState } from './project-state.ts'
import type { ThreadState } from './thread.ts'
import { addUsage, noUsage, tokensOf } from './usage.ts'

/**
 * One entry's effect on the project. The same fold serves restart, rewind and the renderer, so it knows nothing but
 * the state before and the entry. Entries of unknown threads change nothing but the sequence.
 */
export function fold(state: ProjectState, entry: Entry): ProjectState {
  const next = foldBranches(state, entry)
  const thread = entry.type === 'thread.created' ? createThread(entry) : next.threads.get(entry.threadId)
  if (!thread) return { ...next, sequence: entry.sequence }
  const folded = { ...foldThread(thread, entry), updatedAt: entry.at, lastSequence: entry.sequence }
  const children = entry.type === 'thread.created' ? withChild(next.children, entry) : next.children
  return { ...next, sequence: entry.sequence, threads: next.threads.with(thread.id, folded), children }
}

function withChild(
  children: ProjectState['children'],
  { parent, threadId }: EntryOf<'thread.created'>,
): ProjectState['children'] {
  return parent === null
    ? children
    : children.with(parent.threadId, [...(children.get(parent.threadId) ?? []), threadId])
}

function foldThread(thread: ThreadState, entry: Entry): ThreadState {
  if (isCallEntry(entry)) return foldCall(thread, entry)
  switch (entry.type) {
    case 'thread.prepared':
      return { ...thread, prompt: { fixed: thread.prompt?.fixed ?? entry.prompt, told: entry.prompt } }
    case 'thread.titled':
      return { ...thread, title: entry.title }
    case 'thread.configured':
      return { ...thread, model: entry.model, approvalMode: entry.approvalMode }
    case 'run.started':
    case 'run.ended':
      return foldRun(thread, entry)
    case 'message.queued':
      return { ...thread, queue: [...thread.queue, entry.queued] }
    case 'instructions.told':
      return { ...thread, instructed: [...thread.instructed, ...entry.files] }
    case 'todos.written':
      return { ...thread, todos: entry.todos }
    case 'drift.told':
      return entry.files.reduce(
        (told, { path, disk }) => withDiskNote(told, path, { read: thread.disk.get(path)?.read ?? null, told: disk }),
        thread,
      )
    case 'usage':
      return foldUsage(thread, entry)
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

function foldUsage(thread: ThreadState, { usage, model, for: purpose }: EntryOf<'usage'>): ThreadState {
  const contextTokens = purpose === 'summary' ? thread.contextTokens : tokensOf(usage)
  const ofModel = addUsage(thread.usageByModel.get(model) ?? noUsage, usage)
  const usageByModel = thread.usageByModel.with(model, ofModel)
  return { ...thread, usage: addUsage(thread.usage, usage), usageByModel, contextTokens }
}

function createThread(entry: EntryOf<'thread.created'>): ThreadState {
  return {
    id: entry.threadId,
    agent: entry.agent,
    agentType: entry.agentType,
    title: entry.title,
    branchId: entry.branchId,
    parent: entry.parent,
    depth: entry.depth,
    model: entry.model,
    approvalMode: entry.approvalMode,
    contextScope: entry.contextScope,
    prompt: null,
    createdAt: entry.at,
    updatedAt: entry.at,
    status: 'idle',
    end: null,
    runStartedAt: null,
    costLimit: null,
    iterations: 0,
    messages: [],
    calls: LayeredMap.empty(),
    reads: LayeredMap.empty(),
    disk: LayeredMap.empty(),
    instructed: [],
    todos: [],
    interrupts: [],
    queue: [],
    usage: noUsage,
    usageByModel: LayeredMap.empty(),
    usageBeforeRun: noUsage,
    contextTokens: null,
    compaction: null,
    compactionRequested: false,
    lastSequence: entry.sequence,
  }
}

function foldBranches(state: ProjectState, entry: Entry): ProjectState {
  switch (entry.type) {
    case 'branch.forked':
      return withBranch(state, {
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
      const note = { sequence: entry.sequence, paths, forced: entry.forced, undone: false }
      return updateBranch(state, entry.branchId, (branch) => ({ ...branch, merges: [...branch.merges, note] }))
    }
    case 'branch.discarded':
      return updateBranch(state, entry.branchId, (branch) =>
        entry.whole ? { ...branch, status: 'discarded', discardedAt: entry.at } : branch,
      )
    case 'branch.restored':
      return updateBranch(state, entry.branchId, ({ discardedAt: _, ...branch }) => ({ ...branch, status: 'open' }))
    case 'merge.undone':
      return updateBranch(state, entry.branchId, (branch) => ({
        ...branch,
        merges: branch.merges.map((note) => (note.sequence === entry.of ? { ...note, undone: true } : note)),
      }))
    default:
      return state
  }
}

function withBranch(state: ProjectState, branch: Branch): ProjectState {
  return { ...state, branches: state.branches.with(branch.id, branch) }
}

function updateBranch(state: ProjectState, id: BranchId, change: (branch: Branch) => Branch): ProjectState {
  const branch = state.branches.get(id)
  return branch ? withBranch(state, change(branch)) : state
}
