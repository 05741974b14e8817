import type { Branch } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useOfferUndo } from '../parts/use-offer-undo.ts'
import { type Command, useCommand, useProjectId, useSession } from '../state/hooks/hooks.tsx'
import { authorIn } from '../state/hooks/use-author-names.ts'
import { strings } from '../strings/strings.ts'
import { toastNote } from '../ui/controls/toast.ts'
import { countMerged } from './review-logic.ts'

const labels = strings.branches

export interface BranchActions {
  readonly command: Command
  merge(paths: readonly VirtualPath[], strategy: 'refuse' | 'three_way'): Promise<void>
  force(path: VirtualPath): Promise<void>
  resolve(path: VirtualPath, text: string): Promise<boolean>
  /** Settles a conflict by one side as a whole. Answers whether that worked. */
  takeSide(path: VirtualPath, side: 'ours' | 'theirs'): Promise<boolean>
  /** Merges one change of a file; the others stay unmerged. `fingerprint` identifies the diff on screen. */
  mergeHunk(path: VirtualPath, fingerprint: string, hunk: number): Promise<void>
  /** Removes one change from the branch. `fingerprint` identifies the diff on screen. */
  dropHunk(path: VirtualPath, fingerprint: string, hunk: number): Promise<void>
  discard(paths: readonly VirtualPath[] | null): Promise<void>
  restore(): Promise<void>
  /** Undoes a merge, named by its entry. */
  undo(sequence: number): Promise<void>
}

/** The commands for a branch. Each says what was done and offers its undo. */
export function useBranchActions(branch: Branch): BranchActions {
  const { client, store } = useSession()
  const projectId = useProjectId()
  const command = useCommand()
  const offerUndo = useOfferUndo()
  const target = { projectId, branchId: branch.id }

  async function mergeWith(
    paths: readonly VirtualPath[],
    force: boolean,
    strategy: 'refuse' | 'three_way',
  ): Promise<void> {
    const [first] = paths
    const replaced = first === undefined ? '' : authorIn(store.getState(), branch.parentId, first)
    await command.run(async () => {
      const { result, sequence } = await client.branches.merge({ ...target, paths: [...paths], force, strategy })
      const left = force ? 0 : result.conflicts.length
      const detail =
        left > 0 ? labels.leftConflicts(left) : force ? labels.forced(paths.join(', '), replaced) : undefined
      if (sequence === null) toastNote(detail ?? labels.mergedNothing(branch.name))
      else offerUndo(labels.merged(countMerged(result), branch.name), sequence, detail)
    })
  }

  return {
    command,
    merge: (paths, strategy) => mergeWith(paths, false, strategy),
    force: (path) => mergeWith([path], true, 'refuse'),
    resolve: (path, text) =>
      command.run(async () => {
        const { sequence } = await client.branches.resolve({ ...target, path, text })
        if (sequence !== null) offerUndo(labels.merged(1, branch.name), sequence)
      }),
    takeSide: (path, side) =>
      command.run(async () => {
        const { sequence } = await client.branches.takeSide({ ...target, path, side })
        if (sequence !== null) offerUndo(labels.settled(path, side), sequence)
      }),
    mergeHunk: async (path, fingerprint, hunk) => {
      await command.run(async () => {
        const { sequence } = await client.branches.mergeHunks({ ...target, path, fingerprint, hunks: [hunk] })
        if (sequence === null) toastNote(labels.mergedNothing(branch.name))
        else offerUndo(labels.mergedHunk(path, branch.name), sequence)
      })
    },
    dropHunk: async (path, fingerprint, hunk) => {
      await command.run(async () => {
        const { sequence } = await client.branches.discardHunks({ ...target, path, fingerprint, hunks: [hunk] })
        offerUndo(labels.droppedHunk(path, branch.name), sequence)
      })
    },
    discard: async (paths) => {
      await command.run(async () => {
        const { sequence } = await client.branches.discard({ ...target, paths: paths && [...paths] })
        if (paths) return offerUndo(labels.discardedFiles(paths.length, branch.name), sequence)
        offerUndo(labels.discardedBranch(branch.name), () => client.branches.restore(target))
      })
    },
    undo: async (sequence) => {
      if (await command.run(() => client.branches.undo({ projectId, sequence }))) toastNote(labels.undone)
    },
    restore: async () => void (await command.run(() => client.branches.restore(target))),
  }
}
