import type { Grow } from '#shared/base/grow.ts'
import type { LayeredMap } from '#shared/base/layered-map.ts'
import { mergedBranches } from '#shared/model/compose/merged-branches.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { BranchId, MessageId, Sequence, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** `merge` and `force` are events of the merged branch. `taken` is the same event on the branch it was merged into. */
export type BranchEventKind =
  | 'fork'
  | 'checkpoint'
  | 'work'
  | 'batch'
  | 'merge'
  | 'force'
  | 'taken'
  | 'discard'
  | 'restore'
  | 'undo'
  | 'apply'
  | 'rewind'

/** Names a call. A call's id is unique only within its thread. */
export interface CallKey {
  readonly threadId: ThreadId
  readonly callId: ToolCallId
}

/** One event of a branch in the graph. Consecutive changes are one event that counts them. */
export interface BranchEvent {
  /** The sequence of its first entry, which identifies it. */
  readonly id: Sequence
  /** The sequence of its last entry. The event shows the branch's tree after that entry. */
  readonly sequence: Sequence
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly kind: BranchEventKind
  readonly paths: number
  /** The branch on the other side of a fork or a merge. */
  readonly other: BranchId | null
  /** The latest calls that caused the event, latest last. Empty for an action of the person. */
  readonly calls: readonly CallKey[]
  /** The first line of a message, or the number of a batch's tasks. */
  readonly label: string
  /** The person's message at this checkpoint; null for other events. */
  readonly messageId: MessageId | null
}

export type BranchEvents = LayeredMap<BranchId, readonly BranchEvent[]>

const callsKept = 100
const labelLength = 80
const plain = { paths: 0, other: null, calls: [], label: '', messageId: null }

/** Folds an entry into the events of branches. `project` already includes the entry. */
export function foldBranchEvents(events: BranchEvents, entry: Entry, project: ProjectState, grow: Grow): BranchEvents {
  const happen = happenWith(grow)
  switch (entry.type) {
    case 'message': {
      const { message, threadId } = entry
      if (message.role !== 'user' || message.origin !== 'person') return events
      const branchId = project.threads.get(threadId)?.branchId
      return branchId
        ? happen(events, branchId, entry, 'checkpoint', {
            label: firstLine(textOf(message.content)),
            messageId: message.messageId,
          })
        : events
    }
    case 'batch.started': {
      const thread = project.threads.get(entry.threadId)
      const tasks = thread?.calls.get(entry.callId)?.input.tasks
      const label = Array.isArray(tasks) ? String(tasks.length) : ''
      const calls = [{ threadId: entry.threadId, callId: entry.callId }]
      return thread ? happen(events, thread.branchId, entry, 'batch', { label, calls }) : events
    }
    case 'branch.forked':
      return happen(events, entry.branchId, entry, 'fork', { other: entry.parentId })
    case 'tree.changed': {
      const calls = entry.callId === null ? [] : [{ threadId: entry.threadId, callId: entry.callId }]
      return happen(events, entry.branchId, entry, 'work', { paths: filesIn(entry.patch).length, calls })
    }
    case 'branch.merged': {
      const paths = filesIn(entry.patch).length
      const kind = entry.forced ? 'force' : 'merge'
      const merged = mergedBranches(entry).reduce(
        (all, branchId) => happen(all, branchId, entry, kind, { paths, other: entry.into }),
        events,
      )
      return happen(merged, entry.into, entry, 'taken', { paths, other: entry.branchId })
    }
    case 'branch.discarded':
      return happen(events, entry.branchId, entry, 'discard', { paths: filesIn(entry.patch).length })
    case 'branch.restored':
      return happen(events, entry.branchId, entry, 'restore', { paths: filesIn(entry.patch).length })
    case 'merge.undone':
    case 'apply.undone':
      return happen(events, entry.branchId, entry, 'undo', { paths: filesIn(entry.patch).length })
    case 'rewound':
      return (entry.files ?? []).reduce(
        (rewound, { branchId, patch }) => happen(rewound, branchId, entry, 'rewind', { paths: filesIn(patch).length }),
        events,
      )
    case 'apply.finished':
      return happen(events, entry.branchId, entry, 'apply', { paths: entry.paths.length })
    default:
      return events
  }
}

/** The files of a patch. Folders are left out, because they come and go with their files and people count files. */
export function filesIn(patch: Patch): readonly VirtualPath[] {
  return patch.flatMap(([path, [before, after]]) => ((after?.node ?? before?.node)?.kind === 'directory' ? [] : [path]))
}

function happenWith(grow: Grow) {
  return (
    events: BranchEvents,
    branchId: BranchId,
    { sequence, at }: Entry,
    kind: BranchEventKind,
    what: Partial<Pick<BranchEvent, 'paths' | 'other' | 'calls' | 'label' | 'messageId'>>,
  ): BranchEvents => {
    const before = events.get(branchId) ?? []
    const next: BranchEvent = { ...plain, id: sequence, sequence, at, kind, ...what }
    const last = before.at(-1)
    const joined =
      last && kind === 'work' && last.kind === 'work' ? before.with(-1, joinWork(last, next)) : grow(before, next)
    return events.with(branchId, joined)
  }
}

function joinWork(last: BranchEvent, next: BranchEvent): BranchEvent {
  const known = next.calls.every((call) => last.calls.some((one) => one.callId === call.callId))
  const calls = known ? last.calls : [...last.calls, ...next.calls].slice(-callsKept)
  return { ...next, id: last.id, paths: last.paths + next.paths, calls }
}

function firstLine(text: string): string {
  return (text.trim().split('\n', 1)[0] ?? '').slice(0, labelLength)
}
