import { LayeredMap } from '#shared/base/layered-map.ts'
import type { Entry, EntryOf } from '#shared/model/entry.ts'
import type { BranchId, MessageId, Sequence, ThreadId } from '#shared/model/ids.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import type { Usage } from '#shared/model/usage.ts'
import { addUsage, noUsage } from '#shared/model/usage.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

export type BranchEventKind = 'fork' | 'work' | 'merge' | 'force' | 'discard' | 'restore' | 'undo' | 'apply' | 'rewind'

/** One thing that happened to a branch, for the graph. Neighbouring work is one event that counts its changes. */
export interface BranchEvent {
  readonly sequence: Sequence
  readonly at: number
  readonly kind: BranchEventKind
  readonly paths: number
}

/** How a run ended and where in the conversation, for its end card. */
export interface RunEnd {
  readonly sequence: Sequence
  readonly at: number
  /** The last message before it; null when there was none. */
  readonly after: MessageId | null
  readonly status: EntryOf<'run.ended'>['status']
  readonly reason: EntryOf<'run.ended'>['reason']
  readonly message: string
  readonly usage: Usage
  readonly durationMs: number
  readonly changedPaths: number
}

interface OpenRun {
  readonly startedAt: number
  readonly usage: Usage
  readonly paths: ReadonlySet<string>
}

/** What screens show of *when*: the shared fold keeps what things are, not their history. */
export interface Timeline {
  readonly branches: LayeredMap<BranchId, readonly BranchEvent[]>
  /** The last entry that changed a branch's tree or its place against its parent. */
  readonly versions: LayeredMap<BranchId, Sequence>
  /** When each message was written, also of those that a rewind took away. */
  readonly messageTimes: LayeredMap<MessageId, number>
  readonly ends: LayeredMap<ThreadId, readonly RunEnd[]>
  readonly runs: LayeredMap<ThreadId, OpenRun>
  /** Applies to disk that were not taken back, latest last. */
  readonly applies: readonly Applied[]
  /** Whose change of a path came last, per branch. */
  readonly authors: LayeredMap<BranchId, ReadonlyMap<VirtualPath, Author>>
  /** Whose changes a merge replaced; they are theirs again when it is taken back. */
  readonly replaced: LayeredMap<Sequence, ReadonlyMap<VirtualPath, Author | undefined>>
}

export interface Applied {
  readonly sequence: Sequence
  readonly branchId: BranchId
  readonly at: number
  readonly paths: number
}

/** The agent's thread; null when a person changed the path. */
export type Author = ThreadId | null

export const emptyTimeline: Timeline = {
  branches: LayeredMap.empty(),
  versions: LayeredMap.empty(),
  messageTimes: LayeredMap.empty(),
  ends: LayeredMap.empty(),
  runs: LayeredMap.empty(),
  applies: [],
  authors: LayeredMap.empty(),
  replaced: LayeredMap.empty(),
}

/** `journal` has the entry in it already. */
export function foldTimeline(state: Timeline, entry: Entry, journal: ProjectState): Timeline {
  switch (entry.type) {
    case 'message':
      return { ...state, messageTimes: state.messageTimes.with(entry.message.messageId, entry.at) }
    case 'run.started':
      return withRun(state, entry.threadId, { startedAt: entry.at, usage: noUsage, paths: new Set() })
    case 'usage':
      return addCost(state, entry)
    case 'run.ended':
      return endRun(state, entry, journal.threads.get(entry.threadId)?.messages.at(-1)?.messageId ?? null)
    case 'branch.forked':
      return note(state, entry.branchId, entry, 'fork', 0)
    case 'tree.changed':
      return touch(
        withAuthors(
          note(state, entry.branchId, entry, 'work', filesIn(entry.patch).length),
          entry.branchId,
          entry.patch,
          () => (entry.callId === null ? null : entry.threadId),
        ),
        entry,
      )
    case 'branch.merged': {
      const kind = entry.forced ? 'force' : 'merge'
      const merged = note(withReplaced(state, entry), entry.branchId, entry, kind, filesIn(entry.patch).length)
      const theirs = state.authors.get(entry.branchId)
      const authored = withAuthors(merged, entry.into, entry.patch, (path) => theirs?.get(path) ?? entry.threadId)
      return touch(bump(authored, entry.into, entry.sequence), entry)
    }
    case 'branch.discarded':
      return note(state, entry.branchId, entry, 'discard', filesIn(entry.patch).length)
    case 'branch.restored':
      return note(state, entry.branchId, entry, 'restore', filesIn(entry.patch).length)
    case 'merge.undone':
      return bump(
        note(withFormerAuthors(state, entry), entry.branchId, entry, 'undo', filesIn(entry.patch).length),
        entry.into,
        entry.sequence,
      )
    case 'rewound':
      return (entry.files ?? []).reduce(
        (rewound, { branchId, patch }) => note(rewound, branchId, entry, 'rewind', filesIn(patch).length),
        state,
      )
    case 'apply.finished': {
      const { sequence, branchId, at, paths } = entry
      const applied = { sequence, branchId, at, paths: paths.length }
      return note({ ...state, applies: [...state.applies, applied] }, branchId, entry, 'apply', paths.length)
    }
    case 'apply.undone': {
      const applies = state.applies.filter(({ sequence }) => sequence !== entry.of)
      return note({ ...state, applies }, entry.branchId, entry, 'undo', filesIn(entry.patch).length)
    }
    default:
      return state
  }
}

function note(state: Timeline, branchId: BranchId, entry: Entry, kind: BranchEventKind, paths: number): Timeline {
  const events = state.branches.get(branchId) ?? []
  const last = events.at(-1)
  const next = { sequence: entry.sequence, at: entry.at, kind, paths }
  const joined =
    kind === 'work' && last?.kind === 'work'
      ? events.with(-1, { ...next, paths: last.paths + paths })
      : [...events, next]
  return bump({ ...state, branches: state.branches.with(branchId, joined) }, branchId, entry.sequence)
}

function bump(state: Timeline, branchId: BranchId, sequence: Sequence): Timeline {
  return { ...state, versions: state.versions.with(branchId, sequence) }
}

function withAuthors(
  state: Timeline,
  branchId: BranchId,
  patch: Patch,
  authorOf: (path: VirtualPath) => Author,
): Timeline {
  const known = state.authors.get(branchId)
  if (patch.every(([path]) => known?.has(path) && known.get(path) === authorOf(path))) return state
  const authors = new Map(known)
  for (const [path] of patch) authors.set(path, authorOf(path))
  return { ...state, authors: state.authors.with(branchId, authors) }
}

/** Folders come and go with their files; people count files. */
function filesIn(patch: Patch): readonly VirtualPath[] {
  return patch.flatMap(([path, [before, after]]) => ((after?.node ?? before?.node)?.kind === 'directory' ? [] : [path]))
}

function withReplaced(state: Timeline, { sequence, into, patch }: EntryOf<'branch.merged'>): Timeline {
  const authors = state.authors.get(into)
  const former = new Map(patch.map(([path]) => [path, authors?.get(path)]))
  return { ...state, replaced: state.replaced.with(sequence, former) }
}

function withFormerAuthors(state: Timeline, { of, into }: EntryOf<'merge.undone'>): Timeline {
  const former = state.replaced.get(of)
  if (!former) return state
  const authors = new Map(state.authors.get(into))
  for (const [path, author] of former) {
    if (author === undefined) authors.delete(path)
    else authors.set(path, author)
  }
  return { ...state, authors: state.authors.with(into, authors) }
}

/** Counts the paths that the current run of the entry's thread changed. */
function touch(state: Timeline, entry: EntryOf<'tree.changed' | 'branch.merged'>): Timeline {
  const run = state.runs.get(entry.threadId)
  const files = filesIn(entry.patch)
  if (!run || files.every((path) => run.paths.has(path))) return state
  return withRun(state, entry.threadId, { ...run, paths: new Set([...run.paths, ...files]) })
}

function withRun(state: Timeline, threadId: ThreadId, run: OpenRun): Timeline {
  return { ...state, runs: state.runs.with(threadId, run) }
}

function addCost(state: Timeline, entry: EntryOf<'usage'>): Timeline {
  const run = state.runs.get(entry.threadId)
  return run ? withRun(state, entry.threadId, { ...run, usage: addUsage(run.usage, entry.usage) }) : state
}

function endRun(state: Timeline, entry: EntryOf<'run.ended'>, after: MessageId | null): Timeline {
  const run = state.runs.get(entry.threadId)
  const end: RunEnd = {
    sequence: entry.sequence,
    at: entry.at,
    after,
    status: entry.status,
    reason: entry.reason,
    message: entry.message,
    usage: run?.usage ?? noUsage,
    durationMs: run ? entry.at - run.startedAt : 0,
    changedPaths: run?.paths.size ?? 0,
  }
  return { ...state, ends: state.ends.with(entry.threadId, [...(state.ends.get(entry.threadId) ?? []), end]) }
}
