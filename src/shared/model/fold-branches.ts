import type { Branch } from './branch.ts'
import type { Entry } from './entry.ts'
import type { BranchId } from './ids.ts'
import { withVersion } from './past.ts'
import type { ProjectState } from './project-state.ts'

export function foldBranches(state: ProjectState, entry: Entry): ProjectState {
  switch (entry.type) {
    case 'branch.forked':
      return withBranch(state, entry, {
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
      const note = { sequence: entry.sequence, paths, forced: entry.forced, by: entry.by, undone: false }
      return updateBranch(state, entry, (branch) => ({ ...branch, merges: [...branch.merges, note] }))
    }
    case 'branch.discarded':
      return updateBranch(state, entry, (branch) =>
        entry.whole ? { ...branch, status: 'discarded', discardedAt: entry.at } : branch,
      )
    case 'branch.restored':
      return updateBranch(state, entry, ({ discardedAt: _, ...branch }) => ({ ...branch, status: 'open' }))
    case 'merge.undone':
      return updateBranch(state, entry, (branch) => ({
        ...branch,
        merges: branch.merges.map((note) => (note.sequence === entry.of ? { ...note, undone: true } : note)),
      }))
    default:
      return state
  }
}

function withBranch(state: ProjectState, { sequence }: Entry, branch: Branch): ProjectState {
  const past = withVersion(state.past, branch, sequence)
  return { ...state, branches: state.branches.with(branch.id, branch), past }
}

function updateBranch(
  state: ProjectState,
  entry: Entry & { readonly branchId: BranchId },
  change: (branch: Branch) => Branch,
): ProjectState {
  const branch = state.branches.get(entry.branchId)
  return branch ? withBranch(state, entry, change(branch)) : state
}
