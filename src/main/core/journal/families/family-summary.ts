import { childEntries } from '#overlay'
import { valuesOf } from '#shared/base/chain.ts'
import { isEndUnknown, openOutcome } from '#shared/model/calls/call.ts'
import { type FamilyOutline, outlineThread } from '#shared/model/derived/outline.ts'
import type { BranchId, LayerId, ThreadId } from '#shared/model/ids.ts'
import { everInFamily, type ProjectState } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { rootPath } from '#shared/model/virtual-path.ts'
import type { BranchTrees } from '../../branches/branch-trees.ts'

/** What is known of a family while it is not loaded. It is plain JSON. */
export interface FamilySummary extends FamilyOutline {
  /** True when a rewind may have taken messages or subagents away. */
  readonly wasRewound: boolean
  /** Every layer of an environment that a rewind, or a call of it that was tried, may still show. */
  readonly layers: readonly LayerId[]
  /** Names at the top of the project that its branches have. */
  readonly names: readonly string[]
}

/** Summarises loaded families. One that a state does not have is left out. */
export function summarizeFamilies(
  state: ProjectState,
  trees: BranchTrees,
  roots: readonly ThreadId[],
): ReadonlyMap<ThreadId, FamilySummary> {
  if (roots.length === 0) return new Map()
  const branches = Map.groupBy(state.branches.values(), ({ threadId }) => threadId)
  return new Map(
    roots.flatMap((root): readonly (readonly [ThreadId, FamilySummary])[] => {
      const thread = state.threads.get(root)
      if (!thread) return []
      const ids = [...everInFamily(state, root)]
      const own = ids.flatMap((id) => branches.get(id) ?? []).map(({ id }) => id)
      return [[root, summarizeFamily(state, trees, thread, ids, own)]]
    }),
  )
}

function summarizeFamily(
  state: ProjectState,
  trees: BranchTrees,
  root: ThreadState,
  ids: readonly ThreadId[],
  branches: readonly BranchId[],
): FamilySummary {
  const threads = ids.flatMap((id) => state.threads.get(id) ?? [])
  const environments = branches.flatMap((id) => valuesOf(trees.environments.get(id) ?? null))
  const tried = threads.flatMap(({ calls }) => [...calls.values()].flatMap((call) => openOutcome(call)?.layers ?? []))
  const heads = branches.flatMap((id) => trees.heads.get(id) ?? [])
  return {
    root: outlineThread(root, false),
    isActive: threads.some(isActive) || ids.some((id) => hasProcess(state, id) || hasTerminal(state, id)),
    wasRewound: threads.some(({ rewinds }) => rewinds.length > 0),
    spending: state.spending.get(root.id) ?? null,
    layers: [...new Set([...environments.flatMap(({ layers }) => layers), ...tried])],
    names: [
      ...new Set(
        heads.flatMap((tree) =>
          [...childEntries(tree, rootPath)].flatMap(([name, { node }]) => (node === null ? [] : [name])),
        ),
      ),
    ],
  }
}

/** True for a thread that works, waits for a person, or was cut off by a crash. */
function isActive({ status, interrupts, queue, runStartedAt, end, calls }: ThreadState): boolean {
  return (
    status === 'working' ||
    status === 'queued' ||
    status === 'needs_you' ||
    interrupts.length > 0 ||
    queue.length > 0 ||
    (runStartedAt !== null && end === null) ||
    [...calls.values()].some((call) => openOutcome(call) !== null || isEndUnknown(call))
  )
}

/** A terminal that runs or waits for a decision keeps its family loaded, so that it is found by its name alone. */
function hasTerminal(state: ProjectState, id: ThreadId): boolean {
  return (state.terminals.get(id) ?? []).length > 0
}

function hasProcess(state: ProjectState, id: ThreadId): boolean {
  return (state.processes.get(id) ?? []).some(({ end }) => end === null)
}
