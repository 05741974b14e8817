import type { BranchSurvey } from '#shared/contract/views/branches.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { ComposedBranches } from '../../state/store/ui-state.ts'

/**
 * What a branch needs, in the order in which a person deals with it. A *clean* branch merges without a decision, whatever
 * the order. One with an *overlap* does so now, but another branch that is not merged yet changes the same lines.
 */
const workStates = [
  'conflict',
  'overlap',
  'clean',
  'needs_you',
  'proposal',
  'working',
  'queued',
  'failed',
  'stopped',
  'merged',
  'unchanged',
  'discarded',
] as const
export type WorkState = (typeof workStates)[number]

export interface WorkItem {
  readonly branch: Branch
  readonly thread: ThreadState | undefined
  /** Undefined until the host has answered. */
  readonly survey: BranchSurvey | undefined
  readonly state: WorkState
}

/** A row of the list: the workspace, the heading of a group, or a branch. */
export type ListRow =
  | { readonly kind: 'workspace'; readonly branch: Branch }
  | { readonly kind: 'group'; readonly state: WorkState; readonly count: number; readonly folded: boolean }
  | { readonly kind: 'branch'; readonly item: WorkItem; readonly position: number; readonly siblings: number }

interface WorkSources {
  readonly branches: readonly Branch[]
  readonly threads: { get(id: Branch['threadId']): ThreadState | undefined }
  readonly surveys: ReadonlyMap<BranchId, BranchSurvey>
  /** Threads that wait for a free slot. */
  readonly isQueued: (id: Branch['threadId']) => boolean
}

/** Every branch but the workspace, with what it needs. */
export function workItems({ branches, threads, surveys, isQueued }: WorkSources): readonly WorkItem[] {
  return branches.flatMap((branch) => {
    if (branch.parentId === null) return []
    const thread = threads.get(branch.threadId)
    const survey = surveys.get(branch.id)
    return [{ branch, thread, survey, state: stateOf(branch, thread, survey, isQueued(branch.threadId)) }]
  })
}

function stateOf(
  branch: Branch,
  thread: ThreadState | undefined,
  survey: BranchSurvey | undefined,
  queued: boolean,
): WorkState {
  if (branch.status === 'discarded') return 'discarded'
  if (thread && isProposal(thread) && thread.status === 'done') return 'proposal'
  if (queued || thread?.status === 'queued') return 'queued'
  switch (thread?.status) {
    case 'working':
    case 'needs_you':
      return thread.status
    case 'failed':
      return isOpen(survey) || !isMerged(branch) ? 'failed' : 'merged'
    case 'stopped':
    case 'paused':
      return isOpen(survey) || !isMerged(branch) ? 'stopped' : 'merged'
    default:
      break
  }
  if (survey && survey.conflicts.length > 0) return 'conflict'
  if (survey && survey.rivals.length > 0) return 'overlap'
  if (survey ? survey.ready > 0 : !isMerged(branch)) return 'clean'
  return isMerged(branch) ? 'merged' : 'unchanged'
}

/** True for an agent that a person asked about a conflict. What it wrote is taken or left there, and never merged. */
export function isProposal({ parent }: Pick<ThreadState, 'parent'>): boolean {
  return parent?.resolves !== undefined
}

function isOpen(survey: BranchSurvey | undefined): boolean {
  return survey !== undefined && survey.ready + survey.conflicts.length > 0
}

function isMerged({ merges }: Branch): boolean {
  return merges.some(({ undone }) => !undone)
}

/**
 * The items, each as the same object as before when nothing about it changed, so that its row is not drawn again. The
 * same list when nothing changed at all.
 */
export function keepItems(before: readonly WorkItem[], now: readonly WorkItem[]): readonly WorkItem[] {
  const known = new Map(before.map((item) => [item.branch.id, item]))
  const kept = now.map((item) => {
    const last = known.get(item.branch.id)
    return last && isSameItem(last, item) ? last : item
  })
  return kept.length === before.length && kept.every((item, at) => item === before[at]) ? before : kept
}

function isSameItem(a: WorkItem, b: WorkItem): boolean {
  return a.branch === b.branch && a.thread === b.thread && a.state === b.state && isSameSurvey(a.survey, b.survey)
}

/** The host answers with new objects each time. */
function isSameSurvey(a: BranchSurvey | undefined, b: BranchSurvey | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b
  return (
    a.ready === b.ready &&
    a.conflicts.length === b.conflicts.length &&
    a.conflicts.every((path, at) => path === b.conflicts[at]) &&
    a.rivals.length === b.rivals.length &&
    a.rivals.every(({ branchId, path }, at) => branchId === b.rivals[at]?.branchId && path === b.rivals[at]?.path)
  )
}

/** The rows of the list: the workspace, then the groups in their order. Branches of folded groups are left out. */
export function listRows(
  branches: readonly Branch[],
  items: readonly WorkItem[],
  folded: ReadonlySet<WorkState>,
): readonly ListRow[] {
  const groups = Map.groupBy(items, ({ state }) => state)
  const root = branches.find(({ parentId }) => parentId === null)
  const rows: ListRow[] = root ? [{ kind: 'workspace', branch: root }] : []
  for (const state of workStates) {
    const group = groups.get(state)
    if (!group) continue
    rows.push({ kind: 'group', state, count: group.length, folded: folded.has(state) })
    if (folded.has(state)) continue
    group.forEach((item, index) => {
      rows.push({ kind: 'branch', item, position: index + 1, siblings: group.length })
    })
  }
  return rows
}

/** The chosen branches that can be merged at all: an agent that works may still change its branch. */
export function mergeableBranches(items: readonly WorkItem[], chosen: ReadonlySet<BranchId>): readonly BranchId[] {
  const notYet: readonly WorkState[] = ['queued', 'working', 'needs_you', 'proposal', 'discarded']
  return items.flatMap(({ branch: { id }, state }) => (chosen.has(id) && !notYet.includes(state) ? [id] : []))
}

/** The branches that merge without a decision, whatever the order. */
export function cleanBranches(items: readonly WorkItem[]): readonly BranchId[] {
  return items.flatMap(({ state, branch, survey }) => (state === 'clean' && survey ? [branch.id] : []))
}

const mergeStates: readonly WorkState[] = ['conflict', 'overlap', 'clean']

/** Whether a branch is finished and waits to be merged, with a decision or without. */
export function waitsForMerge({ state }: Pick<WorkItem, 'state'>): boolean {
  return mergeStates.includes(state)
}

/**
 * The branch to go on with once one was merged: the next that needs a decision or a merge, or the first such one. Null
 * if none is left. `before` are the rows as they were before the merge.
 */
export function nextToMerge(before: readonly ListRow[], merged: BranchId, items: readonly WorkItem[]): BranchId | null {
  const open = new Set(items.filter(waitsForMerge).map(({ branch }) => branch.id))
  const order = before.flatMap((row) => (row.kind === 'branch' ? [row.item.branch.id] : []))
  const at = order.indexOf(merged)
  return [...order.slice(at + 1), ...order.slice(0, Math.max(at, 0))].find((id) => open.has(id)) ?? null
}

const longestIntent = 160

/** The first sentence of a task. */
export function firstSentence(task: string): string {
  const line = task.trim().split('\n', 1)[0] ?? ''
  const sentence = /^.*?[.!?](?=\s|$)/u.exec(line)?.[0] ?? line
  return sentence.slice(0, longestIntent)
}

export type ListStep =
  | { readonly kind: 'go'; readonly index: number }
  | { readonly kind: 'fold'; readonly folded: boolean }

/** The effect of a key on a row, by the tree pattern of the ARIA Authoring Practices. Null for none. */
export function stepInList(key: string, index: number, rows: readonly ListRow[]): ListStep | null {
  const row = rows[index]
  const go = (to: number): ListStep | null =>
    to >= 0 && to < rows.length && to !== index ? { kind: 'go', index: to } : null
  switch (key) {
    case 'ArrowDown':
      return go(index + 1)
    case 'ArrowUp':
      return go(index - 1)
    case 'Home':
      return go(0)
    case 'End':
      return go(rows.length - 1)
    case 'ArrowRight':
      if (row?.kind !== 'group') return null
      return row.folded ? { kind: 'fold', folded: false } : go(index + 1)
    case 'ArrowLeft':
      if (row?.kind === 'group') return row.folded ? null : { kind: 'fold', folded: true }
      return go(rows.slice(0, index).findLastIndex(({ kind }) => kind === 'group'))
    default:
      return null
  }
}

/** Two or more of the branches, if they can be composed into the branch that all of them merge into. Null if not. */
export function composableBranches(
  items: readonly WorkItem[],
  checked: ReadonlySet<BranchId>,
): ComposedBranches | null {
  const branches = items.flatMap(({ branch }) => (checked.has(branch.id) && branch.status === 'open' ? [branch] : []))
  const parents = new Set(branches.map(({ parentId }) => parentId))
  const [into] = parents
  if (branches.length < 2 || parents.size !== 1 || !into) return null
  return { branches: branches.map(({ id }) => ({ branchId: id, sequence: null })), into }
}
