import { type Grow, growingInPlace } from '#shared/base/grow.ts'
import { LayeredMap } from '#shared/base/layered-map.ts'
import { mergedBranches } from '#shared/model/compose/merged-branches.ts'
import type { Entry, EntryOf } from '#shared/model/entry.ts'
import type { BranchId, MessageId, Sequence, ThreadId } from '#shared/model/ids.ts'
import type { Usage } from '#shared/model/models/usage.ts'
import { addUsage, noUsage } from '#shared/model/models/usage.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import type { ThreadStatus } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type BranchEvents, filesIn, foldBranchEvents } from './branch-events.ts'

/** The end of a run and its place in the conversation, for its end card. */
export interface RunEnd {
  readonly sequence: Sequence
  readonly at: number
  /** The last message before it; null if there is none. */
  readonly after: MessageId | null
  readonly status: EntryOf<'run.ended'>['status']
  readonly reason: EntryOf<'run.ended'>['reason']
  readonly message: string
  /** What a failed request to the model was about; null when that is not known. */
  readonly cause: string | null
  /** Hosts that the sandbox kept an external agent from; empty for other ends. */
  readonly refusedHosts: readonly string[]
  readonly usage: Usage
  readonly durationMs: number
  readonly changedPaths: number
}

/** What an agent does from a moment on. `idle`: its run ended, or it has not started. */
export interface Activity {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly kind: 'working' | 'waiting' | 'queued' | 'idle'
}

interface OpenRun {
  readonly startedAt: number
  readonly usage: Usage
  /** Every changed path. A run that merges a batch changes thousands, one entry after the other. */
  readonly paths: LayeredMap<VirtualPath, true>
}

/** The times and order of past events. The shared fold keeps only the present state. */
export interface Timeline {
  readonly branches: BranchEvents
  /** The last entry that changed a branch's tree, its difference from the parent, or the folders that stand for it. */
  readonly versions: LayeredMap<BranchId, Sequence>
  /** When each message was written, in milliseconds. Includes messages that a rewind removed. */
  readonly messageTimes: LayeredMap<MessageId, number>
  readonly ends: LayeredMap<ThreadId, readonly RunEnd[]>
  readonly runs: LayeredMap<ThreadId, OpenRun>
  /** What each agent did, each until the next. */
  readonly activities: LayeredMap<ThreadId, readonly Activity[]>
  /** Applies to disk that were not undone, latest last. */
  readonly applies: readonly DiskApply[]
  /** The last author of each path, by branch. */
  readonly authors: LayeredMap<BranchId, LayeredMap<VirtualPath, Author>>
  /** The authors that a merge replaced, by its entry. They are restored when the merge is undone. */
  readonly replaced: LayeredMap<Sequence, ReadonlyMap<VirtualPath, Author | undefined>>
}

interface DiskApply {
  readonly sequence: Sequence
  readonly branchId: BranchId
  readonly at: number
  readonly paths: number
}

/** The agent's thread; null when a person changed the path. */
export type Author = ThreadId | null

const noAuthors = LayeredMap.empty<VirtualPath, Author>()

export const emptyTimeline: Timeline = {
  branches: LayeredMap.empty(),
  versions: LayeredMap.empty(),
  messageTimes: LayeredMap.empty(),
  ends: LayeredMap.empty(),
  runs: LayeredMap.empty(),
  activities: LayeredMap.empty(),
  applies: [],
  authors: LayeredMap.empty(),
  replaced: LayeredMap.empty(),
}

/**
 * Returns a function that folds one entry after another. Only its last state is valid, because folding changes states
 * in place. `project` already includes the entry.
 */
export function createTimelineFold(): (before: Timeline, entry: Entry, project: ProjectState) => Timeline {
  const grow = growingInPlace()
  return (before, entry, project) => foldGrowing(before, entry, project, grow)
}

function foldGrowing(before: Timeline, entry: Entry, project: ProjectState, grow: Grow): Timeline {
  const branches = foldBranchEvents(before.branches, entry, project, grow)
  const state = withActivity({ ...before, branches }, entry, project, grow)
  switch (entry.type) {
    case 'message':
      return { ...state, messageTimes: state.messageTimes.with(entry.message.messageId, entry.at) }
    case 'run.started':
      return withRun(state, entry.threadId, {
        startedAt: entry.at,
        usage: noUsage,
        paths: LayeredMap.empty(),
      })
    case 'usage':
      return addCost(state, entry)
    case 'run.ended':
      return endRun(state, entry, project.threads.get(entry.threadId)?.messages.at(-1)?.messageId ?? null, grow)
    case 'branch.forked':
      return bump(state, entry.branchId, entry.sequence)
    case 'tree.changed':
      return touch(
        withAuthors(bump(state, entry.branchId, entry.sequence), entry.branchId, entry.patch, () =>
          entry.callId === null ? null : entry.threadId,
        ),
        entry,
      )
    case 'branch.merged': {
      const merged = mergedBranches(entry).reduce(
        (bumped, branchId) => bump(bumped, branchId, entry.sequence),
        withReplaced(state, entry),
      )
      const authored = withAuthors(
        merged,
        entry.into,
        entry.patch,
        (path) => state.authors.get(sourceOf(entry, path))?.get(path) ?? entry.threadId,
      )
      return touch(bump(authored, entry.into, entry.sequence), entry)
    }
    case 'branch.discarded':
    case 'branch.restored':
    case 'checkout.made':
    case 'checkout.ended':
      return bump(state, entry.branchId, entry.sequence)
    case 'merge.undone':
      return [entry.branchId, ...(entry.others ?? []), entry.into].reduce(
        (bumped, branchId) => bump(bumped, branchId, entry.sequence),
        withFormerAuthors(state, entry),
      )
    case 'rewound':
      return (entry.files ?? []).reduce((rewound, { branchId }) => bump(rewound, branchId, entry.sequence), state)
    case 'apply.finished': {
      const { sequence, branchId, at, paths } = entry
      const applied = { sequence, branchId, at, paths: paths.length }
      return bump({ ...state, applies: [...state.applies, applied] }, branchId, sequence)
    }
    case 'apply.undone': {
      const applies = state.applies.filter(({ sequence }) => sequence !== entry.of)
      return bump({ ...state, applies }, entry.branchId, entry.sequence)
    }
    default:
      return state
  }
}

const activityOf: Partial<Record<ThreadStatus, Activity['kind']>> = {
  working: 'working',
  needs_you: 'waiting',
  queued: 'queued',
}

function withActivity(state: Timeline, { threadId, at }: Entry, project: ProjectState, grow: Grow): Timeline {
  const status = project.threads.get(threadId)?.status
  const kind = (status && activityOf[status]) ?? 'idle'
  const known = state.activities.get(threadId) ?? []
  if (kind === (known.at(-1)?.kind ?? 'idle')) return state
  return { ...state, activities: state.activities.with(threadId, grow(known, { at, kind })) }
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
  const known = state.authors.get(branchId) ?? noAuthors
  const news = patch.filter(([path]) => !known.has(path) || known.get(path) !== authorOf(path))
  if (news.length === 0) return state
  const authors = news.reduce((changed, [path]) => changed.with(path, authorOf(path)), known)
  return { ...state, authors: state.authors.with(branchId, authors) }
}

/** The branch that a merged file is from: of a composed one, the first that lines were taken from. */
function sourceOf({ branchId, composed }: EntryOf<'branch.merged'>, path: VirtualPath): BranchId {
  const pieces = composed?.files.find((file) => file.path === path)?.pieces ?? []
  const [source] = pieces.flatMap(({ from }) => from)
  return (source === undefined ? undefined : composed?.sources[source]?.branchId) ?? branchId
}

function withReplaced(state: Timeline, { sequence, into, patch }: EntryOf<'branch.merged'>): Timeline {
  const authors = state.authors.get(into)
  const former = new Map(patch.map(([path]) => [path, authors?.get(path)]))
  return { ...state, replaced: state.replaced.with(sequence, former) }
}

function withFormerAuthors(state: Timeline, { of, into }: EntryOf<'merge.undone'>): Timeline {
  const former = state.replaced.get(of)
  if (!former) return state
  const gone = new Set([...former].flatMap(([path, author]) => (author === undefined ? [path] : [])))
  let authors = (state.authors.get(into) ?? noAuthors).without(gone)
  for (const [path, author] of former) if (author !== undefined) authors = authors.with(path, author)
  return { ...state, authors: state.authors.with(into, authors) }
}

/** Adds the paths of an entry to those that the thread's current run changed. */
function touch(state: Timeline, entry: EntryOf<'tree.changed' | 'branch.merged'>): Timeline {
  const run = state.runs.get(entry.threadId)
  const files = filesIn(entry.patch)
  const news = run ? files.filter((path) => !run.paths.has(path)) : []
  if (!run || news.length === 0) return state
  const paths = news.reduce((changed, path) => changed.with(path, true), run.paths)
  return withRun(state, entry.threadId, { ...run, paths })
}

function withRun(state: Timeline, threadId: ThreadId, run: OpenRun): Timeline {
  return { ...state, runs: state.runs.with(threadId, run) }
}

function addCost(state: Timeline, entry: EntryOf<'usage'>): Timeline {
  const run = state.runs.get(entry.threadId)
  return run ? withRun(state, entry.threadId, { ...run, usage: addUsage(run.usage, entry.usage) }) : state
}

function endRun(state: Timeline, entry: EntryOf<'run.ended'>, after: MessageId | null, grow: Grow): Timeline {
  const run = state.runs.get(entry.threadId)
  const end: RunEnd = {
    sequence: entry.sequence,
    at: entry.at,
    after,
    status: entry.status,
    reason: entry.reason,
    message: entry.message,
    cause: entry.cause ?? null,
    refusedHosts: entry.refusedHosts ?? [],
    usage: run?.usage ?? noUsage,
    durationMs: run ? entry.at - run.startedAt : 0,
    changedPaths: run?.paths.size ?? 0,
  }
  return { ...state, ends: state.ends.with(entry.threadId, grow(state.ends.get(entry.threadId) ?? [], end)) }
}
