import { chain, valuesOf } from '../../base/chain.ts'
import type { Branch } from '../branch.ts'
import type { EntryOf } from '../entry.ts'
import type { ThreadId } from '../ids.ts'
import type { ProjectState } from '../project-state.ts'
import { everInFamily } from '../project-state.ts'
import { type ThreadSnapshot, versionAt, withVersion } from '../snapshots.ts'
import { type PythonMemory, type RewindNote, staleRead, type ThreadState } from '../thread.ts'
import { keep, sibling } from './record-snapshot.ts'

type Rewound = EntryOf<'rewound'>

/** Restores the state at `to` of one thread and all threads below it. The state that it replaces stays in the past. */
export function foldRewound(state: ProjectState, entry: Rewound): ProjectState {
  const family = everInFamily(state, entry.threadId)
  const talked = entry.conversation
    ? withConversations(state, entry, family)
    : withPastPython(withStaleReads(state, entry), entry, family)
  const noted = withNote(talked, entry)
  return entry.files === null ? noted : withBranches(noted, entry, family)
}

function withConversations(state: ProjectState, entry: Rewound, family: ReadonlySet<ThreadId>): ProjectState {
  let { threads } = state
  let past = state.past.threads
  const gone = new Set<ThreadId>()
  for (const id of family) {
    const history = past.get(id)
    const snapshot = versionAt(history, entry.to)
    if (snapshot?.thread) {
      const thread = restoreThread(snapshot, snapshot.thread, threads.get(id), entry)
      threads = threads.with(id, thread)
      past = past.with(id, chain(history ?? null, keep(entry.sequence, entry.at, sibling, thread, snapshot.messages)))
    } else if (entry.files !== null && threads.has(id)) {
      gone.add(id)
      past = past.with(id, chain(history ?? null, tombstone(entry)))
    }
  }
  return { ...state, threads: threads.without(gone), past: { ...state.past, threads: past } }
}

/** A rewind gives no money back, and it keeps what a person set for the future. */
function restoreThread(
  { messages }: ThreadSnapshot,
  then: Omit<ThreadState, 'messages'>,
  now: ThreadState | undefined,
  { at, sequence }: Rewound,
): ThreadState {
  const { usage, usageByModel, usageBeforeRun, title, pinned, archived, deletedAt } = now ?? then
  const { model, approvalMode, memory } = now ?? then
  const kept = { usage, usageByModel, usageBeforeRun, title, pinned, archived, deletedAt, model, approvalMode, memory }
  const python = pastPython(then.python, now?.python ?? null)
  const thread = { ...then, ...kept, python, messages: valuesOf(messages), updatedAt: at, lastSequence: sequence }
  return thread.runStartedAt !== null && thread.end === null ? atRest(thread, at) : thread
}

/** A run that was going on at that time stays paused until a person continues it. */
function atRest(thread: ThreadState, at: number): ThreadState {
  const status = thread.interrupts.length > 0 ? 'needs_you' : 'paused'
  return { ...thread, status, end: { status: 'interrupted', reason: 'user', message: '', at } }
}

/** For a rewind of files only: the conversation stays, so agents must read the restored files again. */
function withStaleReads(state: ProjectState, { files, sequence }: Rewound): ProjectState {
  let { threads } = state
  for (const { branchId, patch } of files ?? []) {
    const thread = threads.get(state.branches.get(branchId)?.threadId ?? ('' as ThreadId))
    if (!thread) continue
    const known = patch.filter(([path]) => thread.contentHashes.has(path))
    const reads = known.reduce((stale, [path]) => stale.with(path, staleRead), thread.contentHashes)
    threads = threads.with(thread.id, { ...thread, contentHashes: reads, lastSequence: sequence })
  }
  return { ...state, threads }
}

/** For a rewind of files only: variables may hold what the files held, so they go back too. */
function withPastPython(state: ProjectState, { to, files }: Rewound, family: ReadonlySet<ThreadId>): ProjectState {
  if (files === null) return state
  let { threads } = state
  for (const id of family) {
    const thread = threads.get(id)
    if (!thread?.python) continue
    const then = versionAt(state.past.threads.get(id), to)?.thread?.python ?? null
    threads = threads.with(id, { ...thread, python: pastPython(then, thread.python) })
  }
  return { ...state, threads }
}

/** The agent is told only when something changes for it. */
function pastPython(then: PythonMemory | null, now: PythonMemory | null): PythonMemory | null {
  const state = then?.state ?? null
  const wentBack = state !== (now?.state ?? null) || (now?.wentBack ?? false)
  return wentBack ? { state, wentBack } : now
}

function tombstone({ sequence, at }: Rewound): ThreadSnapshot {
  return { sequence, at, mark: sibling, thread: null, messages: null }
}

function withNote(
  state: ProjectState,
  { threadId, sequence, at, to, files, conversation, undoes }: Rewound,
): ProjectState {
  const thread = state.threads.get(threadId)
  if (!thread) return state
  const note: RewindNote = {
    sequence,
    at,
    to,
    files: files !== null,
    conversation,
    undoes,
    after: thread.messages.length,
  }
  return { ...state, threads: state.threads.with(threadId, { ...thread, rewinds: [...thread.rewinds, note] }) }
}

function withBranches(state: ProjectState, entry: Rewound, family: ReadonlySet<ThreadId>): ProjectState {
  let { branches, past } = state
  for (const branch of branches.values()) {
    if (!family.has(branch.threadId)) continue
    const then = versionAt(past.branches.get(branch.id), entry.to)?.branch ?? dropBranch(branch, entry.at)
    if (then === branch) continue
    branches = branches.with(branch.id, then)
    past = withVersion(past, then, entry.sequence)
  }
  return { ...state, branches, past }
}

/** A branch that was forked later can be restored like a discarded one. */
function dropBranch(branch: Branch, at: number): Branch {
  return branch.status === 'discarded' ? branch : { ...branch, status: 'discarded', discardedAt: at }
}
