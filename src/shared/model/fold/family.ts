import { LayeredMap } from '../../base/layered-map.ts'
import type { BranchId, ThreadId } from '../ids.ts'
import { everInFamily, type ProjectState } from '../project-state.ts'

/**
 * A family is a root thread with every subagent it ever had, and their branches. Almost everything about a thread
 * depends on its family alone. So a project can be known family by family, and a family that nobody asks for need not
 * be in memory.
 */
interface FamilyIds {
  readonly threads: ReadonlySet<ThreadId>
  readonly branches: ReadonlySet<BranchId>
}

/** A state with only the families of these root threads. What belongs to the project as a whole is left out. */
export function familiesIn(state: ProjectState, roots: readonly ThreadId[], empty: ProjectState): ProjectState {
  const { threads, branches } = idsOf(state, roots)
  return {
    ...empty,
    sequence: state.sequence,
    threads: pick(state.threads, threads),
    branches: pick(state.branches, branches),
    children: pick(state.children, threads),
    processes: pick(state.processes, threads),
    terminals: pick(state.terminals, threads),
    spending: pick(state.spending, threads),
    checks: { ...empty.checks, byBranch: pick(state.checks.byBranch, branches) },
    past: { threads: pick(state.past.threads, threads), branches: pick(state.past.branches, branches) },
  }
}

/** Adds the families of `loaded`. It must not know any of them yet. */
export function withFamilies(state: ProjectState, loaded: ProjectState): ProjectState {
  return {
    ...state,
    threads: state.threads.withAll(loaded.threads),
    branches: state.branches.withAll(loaded.branches),
    children: state.children.withAll(loaded.children),
    processes: state.processes.withAll(loaded.processes),
    terminals: state.terminals.withAll(loaded.terminals),
    spending: state.spending.withAll(loaded.spending),
    checks: { ...state.checks, byBranch: state.checks.byBranch.withAll(loaded.checks.byBranch) },
    past: {
      threads: state.past.threads.withAll(loaded.past.threads),
      branches: state.past.branches.withAll(loaded.past.branches),
    },
  }
}

/** The state without the families of these root threads. What belongs to the project as a whole stays. */
export function withoutFamilies(state: ProjectState, roots: readonly ThreadId[]): ProjectState {
  const { threads, branches } = idsOf(state, roots)
  return {
    ...state,
    threads: state.threads.without(threads),
    branches: state.branches.without(branches),
    children: state.children.without(threads),
    processes: state.processes.without(threads),
    terminals: state.terminals.without(threads),
    spending: state.spending.without(threads),
    checks: { ...state.checks, byBranch: state.checks.byBranch.without(branches) },
    past: { threads: state.past.threads.without(threads), branches: state.past.branches.without(branches) },
  }
}

/** The branches of the families, discarded ones and those that a rewind took away included. */
export function branchesOfFamilies(state: ProjectState, roots: readonly ThreadId[]): ReadonlySet<BranchId> {
  return idsOf(state, roots).branches
}

function idsOf(state: ProjectState, roots: readonly ThreadId[]): FamilyIds {
  const threads = new Set(roots.flatMap((root) => [...everInFamily(state, root)]))
  const branches = [...state.branches.values()].filter(({ threadId }) => threads.has(threadId))
  return { threads, branches: new Set(branches.map(({ id }) => id)) }
}

function pick<Key, Value>(map: LayeredMap<Key, Value>, keys: ReadonlySet<Key>): LayeredMap<Key, Value> {
  const kept = [...keys].flatMap((key): readonly (readonly [Key, Value])[] => {
    const value = map.get(key)
    return value === undefined ? [] : [[key, value]]
  })
  return LayeredMap.empty<Key, Value>().withAll(kept)
}
