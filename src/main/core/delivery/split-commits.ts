import { emptyTree, invert, type Patch, patchTree, type Tree } from '#overlay'
import { mergedBranches } from '#shared/model/compose/merged-branches.ts'
import type { CommitUnit } from '#shared/model/delivery.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { patchesOf } from '../branches/branch-trees.ts'
import type { LogReader } from '../journal/project-log.ts'
import { readThread } from '../journal/read-thread.ts'

/** The workspace after one part of the work. */
export interface WorkPart {
  /** What the part was about, in a line: the first line of a commit's message. */
  readonly subject: string
  readonly tree: Tree
  /** The entry that ended the part. Null for the end of the work. */
  readonly until: Sequence | null
}

/** A change of the workspace. */
interface Step {
  readonly sequence: Sequence
  readonly key: string
  readonly subject: string
  readonly patch: Patch
}

/** Letters of a subject. Git's own tools cut longer ones. */
const mostLetters = 72

/**
 * The work of a root thread in parts, the oldest first; the last has the workspace as it is now. What was rewound is in none of
 * them. Changes of one part that others lie between are parts of their own, because a later one may stand on an earlier one.
 * `since` leaves out what was done up to an entry.
 */
export function splitWork(
  log: LogReader,
  threadId: ThreadId,
  unit: CommitUnit,
  since: Sequence | null = null,
): readonly WorkPart[] {
  const thread = readThread(log, threadId)
  if (!thread) return []
  const now = log.trees.heads.get(thread.branchId) ?? emptyTree
  const whole: WorkPart = { subject: subjectOf(thread.title), tree: now, until: null }
  if (unit === 'all') return [whole]
  const entries = log.entriesAfter(0, undefined, log.rootOf(threadId))
  const steps = withoutUndone(readSteps(log, thread, entries, unit)).filter(({ sequence }) => sequence > (since ?? 0))
  const parts: (WorkPart & { readonly key: string })[] = []
  for (const { step, tree } of treesAfter(steps, entries, thread.branchId, now)) {
    const last = parts.at(-1)?.key === step.key ? parts.pop() : undefined
    const { key, subject } = last ?? step
    parts.push({ key, subject, tree, until: step.sequence })
  }
  const last = parts.pop()
  if (last) parts.push({ ...last, tree: now, until: null })
  return parts.length === 0 ? [whole] : parts
}

/**
 * Paths that an apply took out of the workspace, because the folder has them since, with the entry of the last apply: what was done
 * before it is in no commit. 0 for one that was taken back.
 */
export function appliedPaths(
  log: LogReader,
  { threadId, branchId }: { threadId: ThreadId; branchId: BranchId },
): ReadonlyMap<VirtualPath, Sequence> {
  const applied = new Map<VirtualPath, Sequence>()
  for (const entry of log.entriesAfter(0, ['apply.finished', 'apply.undone'], log.rootOf(threadId))) {
    if (!('patch' in entry) || !('branchId' in entry) || entry.branchId !== branchId) continue
    const isBack = entry.type === 'apply.undone' && entry.undoes === undefined
    for (const [path] of entry.patch) applied.set(path, isBack ? (0 as Sequence) : entry.sequence)
  }
  return applied
}

function readSteps(
  log: LogReader,
  thread: ThreadState,
  entries: readonly Entry[],
  unit: Exclude<CommitUnit, 'all'>,
): readonly (Step | Extract<Entry, { type: 'rewound' }>)[] {
  let message = { key: '', subject: thread.title }
  let todo = { key: '', subject: thread.title }
  const steps: (Step | Extract<Entry, { type: 'rewound' }>)[] = []
  for (const entry of entries) {
    if (entry.type === 'message' && entry.threadId === thread.id && entry.message.role === 'user') {
      const text = entry.message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ')
      if (entry.message.origin === 'person') message = { key: entry.message.messageId, subject: text }
    }
    if (entry.type === 'todos.written' && entry.threadId === thread.id) {
      const current = entry.todos.find(({ status }) => status === 'in_progress')
      if (current) todo = { key: current.content, subject: current.content }
    }
    if (entry.type === 'rewound' && entry.files !== null) steps.push(entry)
    const patch = patchesOf(entry).find(({ branchId }) => branchId === thread.branchId)?.patch
    if (patch === undefined || patch.length === 0 || entry.type === 'rewound' || entry.type === 'apply.finished')
      continue
    const about = { message, todo, agent: agentOf(log, thread, entry), branch: branchOf(log, thread, entry) }[unit]
    const isUndo = 'undoes' in entry && entry.undoes !== undefined
    const { key, subject } = isUndo ? { key: `undo ${entry.sequence}`, subject: `Undo: ${about.subject}` } : about
    steps.push({ sequence: entry.sequence, key, subject: subjectOf(subject), patch })
  }
  return steps
}

interface About {
  readonly key: string
  readonly subject: string
}

function agentOf(log: LogReader, thread: ThreadState, entry: Entry): About {
  const owner = entry.type === 'branch.merged' ? readOwner(log, entry.branchId) : undefined
  const own = owner ?? thread
  return { key: own.id, subject: owner && own.agent !== own.title ? `${own.agent}: ${own.title}` : own.title }
}

function branchOf(log: LogReader, thread: ThreadState, entry: Entry): About {
  if (entry.type !== 'branch.merged') return { key: thread.branchId, subject: thread.title }
  const names = mergedBranches(entry).map((id) => log.state.branches.get(id)?.name ?? 'branch')
  return {
    key: mergedBranches(entry).join(' '),
    subject: `${entry.composed ? 'Compose' : 'Merge'} ${names.join(', ')}`,
  }
}

function readOwner(log: LogReader, branchId: BranchId): ThreadState | undefined {
  const owner = log.state.branches.get(branchId)?.threadId
  return owner === undefined ? undefined : readThread(log, owner)
}

/** The steps that count. A rewind takes those after its checkpoint away, and its undo brings them back. */
function withoutUndone(found: ReturnType<typeof readSteps>): readonly Step[] {
  let steps: readonly Step[] = []
  const before = new Map<Sequence, readonly Step[]>()
  for (const one of found) {
    if (!('type' in one)) {
      steps = [...steps, one]
      continue
    }
    before.set(one.sequence, steps)
    const { to, undoes } = one
    steps = (undoes === null ? undefined : before.get(undoes)) ?? steps.filter(({ sequence }) => sequence <= to)
  }
  return steps
}

/** The workspace after each step, found by going back from what it is now. */
function treesAfter(
  steps: readonly Step[],
  entries: readonly Entry[],
  branchId: BranchId,
  now: Tree,
): readonly { readonly step: Step; readonly tree: Tree }[] {
  const wanted = new Map(steps.map((step) => [step.sequence, step]))
  const found: { readonly step: Step; readonly tree: Tree }[] = []
  let tree = now
  for (const entry of entries.toReversed()) {
    const step = wanted.get(entry.sequence)
    if (step) found.unshift({ step, tree })
    for (const { branchId: id, patch } of patchesOf(entry).toReversed())
      if (id === branchId) tree = patchTree(tree, invert(patch))
  }
  return found
}

/** A text as the first line of a message. */
export function subjectOf(text: string): string {
  const line = oneLine(text).trim()
  if (line === '') return 'Changes'
  return line.length <= mostLetters ? line : `${beginningOf(line, mostLetters - 1).trimEnd()}…`
}
