import { LayeredMap } from '../../base/layered-map.ts'
import type { Entry } from '../entry.ts'
import type { BranchId, Sequence, ThreadId } from '../ids.ts'
import type { Patch } from '../patch.ts'

export type BranchEventKind =
  | 'fork'
  | 'work'
  | 'checkpoint'
  | 'merge'
  | 'force'
  | 'discard'
  | 'restore'
  | 'undo'
  | 'apply'
  | 'rewind'

/** One thing that happened to a branch. Neighbouring work is one event, and so are checkpoints of the same tree. */
export interface BranchEvent {
  /** The last entry that it stands for. */
  readonly sequence: Sequence
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly kind: BranchEventKind
  /** Files and links it changed. Folders are not counted; they come and go with their content. */
  readonly files: number
}

/** The branch graph as data: what happened to each branch, oldest first. */
export interface BranchGraph {
  readonly events: LayeredMap<BranchId, readonly BranchEvent[]>
  /** The branch on which a thread's agent works. */
  readonly branches: LayeredMap<ThreadId, BranchId>
}

export const emptyBranchGraph: BranchGraph = { events: LayeredMap.empty(), branches: LayeredMap.empty() }

export function foldBranchGraph(graph: BranchGraph, entry: Entry): BranchGraph {
  switch (entry.type) {
    case 'thread.created':
      return { ...graph, branches: graph.branches.with(entry.threadId, entry.branchId) }
    case 'branch.forked':
      return withEvent(graph, entry.branchId, entry, 'fork', 0)
    case 'tree.changed':
      return withEvent(graph, entry.branchId, entry, 'work', filesIn(entry.patch))
    case 'checkpoint':
      return withCheckpoint(graph, entry)
    case 'branch.merged':
      return withEvent(graph, entry.branchId, entry, entry.forced ? 'force' : 'merge', filesIn(entry.patch))
    case 'branch.discarded':
      return withEvent(graph, entry.branchId, entry, 'discard', filesIn(entry.patch))
    case 'branch.restored':
      return withEvent(graph, entry.branchId, entry, 'restore', filesIn(entry.patch))
    case 'merge.undone':
    case 'apply.undone':
      return withEvent(graph, entry.branchId, entry, 'undo', filesIn(entry.patch))
    case 'rewound':
      return (entry.files ?? []).reduce(
        (rewound, { branchId, patch }) => withEvent(rewound, branchId, entry, 'rewind', filesIn(patch)),
        graph,
      )
    case 'apply.finished':
      return withEvent(graph, entry.branchId, entry, 'apply', entry.paths.length)
    default:
      return graph
  }
}

function withEvent(
  graph: BranchGraph,
  branchId: BranchId,
  { sequence, at }: Entry,
  kind: BranchEventKind,
  files: number,
): BranchGraph {
  const events = graph.events.get(branchId) ?? []
  const last = events.at(-1)
  const joined = last?.kind === kind && (kind === 'work' || kind === 'checkpoint')
  const event = { sequence, at, kind, files: joined ? last.files + files : files }
  return { ...graph, events: graph.events.with(branchId, joined ? events.with(-1, event) : [...events, event]) }
}

/** Every step stores a checkpoint, but only a tree that changed since the fork or the last checkpoint adds an event. */
function withCheckpoint(graph: BranchGraph, entry: Entry): BranchGraph {
  const branchId = graph.branches.get(entry.threadId)
  const last = branchId && graph.events.get(branchId)?.at(-1)
  if (!branchId || !last || last.kind === 'fork') return graph
  return withEvent(graph, branchId, entry, 'checkpoint', 0)
}

function filesIn(patch: Patch): number {
  return patch.filter(([, [before, after]]) => (after?.node ?? before?.node)?.kind !== 'directory').length
}
