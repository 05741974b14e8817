import type { FileDiff } from '#shared/contract/views/files.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useOfferUndo } from '../parts/use-offer-undo.ts'
import { refusalOf } from '../state/connection/refusal.ts'
import { type Command, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'

const labels = strings.changes

export interface ChangeActions {
  readonly command: Command
  /** Removes the files' changes from the workspace. Like all of these, resolves with whether it was carried out. */
  revert(paths: readonly VirtualPath[]): Promise<boolean>
  revertHunk(diff: FileDiff & { readonly fingerprint: string }, hunk: number): Promise<boolean>
  /** Reverts a file that changed on disk, so that the workspace has the disk's version. */
  takeDisk(path: VirtualPath): Promise<boolean>
  /** Keeps the workspace's version of a file that changed on disk, so that an apply writes it over the disk's. */
  keepOurs(path: VirtualPath): Promise<boolean>
  /** Merges a file with the disk. Calls `onOverlap` if both changed the same lines. */
  join(path: VirtualPath, onOverlap: () => void): Promise<boolean>
}

/** The commands for changes of the workspace. Each says what was done and offers its undo. */
export function useChangeActions(branchId: BranchId): ChangeActions {
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const offerUndo = useOfferUndo()
  const target = { projectId, branchId }

  const settle = (path: VirtualPath, keep: 'both' | 'ours') =>
    client.changes.settleDrift({ ...target, choices: [{ path, keep }] })

  async function runWithUndo(message: string, act: () => Promise<{ readonly sequence: number }>): Promise<boolean> {
    return command.run(async () => offerUndo(message, (await act()).sequence))
  }

  return {
    command,
    revert: (paths) =>
      runWithUndo(paths.length === 1 ? labels.reverted(paths[0] ?? '') : labels.revertedFiles(paths.length), () =>
        client.changes.revert({ ...target, paths: [...paths] }),
      ),
    revertHunk: ({ path, fingerprint }, hunk) =>
      runWithUndo(labels.revertedHunk(path), () =>
        client.changes.revertHunks({ ...target, path, hunks: [hunk], fingerprint }),
      ),
    takeDisk: (path) =>
      runWithUndo(strings.drift.tookDisk(path), () => client.changes.revert({ ...target, paths: [path] })),
    keepOurs: (path) => runWithUndo(strings.drift.keptOurs(path), () => settle(path, 'ours')),
    join: (path, onOverlap) =>
      command.run(async () => {
        try {
          const { sequence } = await settle(path, 'both')
          offerUndo(strings.drift.joined(path), sequence)
        } catch (error) {
          if (refusalOf(error).code !== 'CONFLICT') throw error
          onOverlap()
        }
      }),
  }
}
