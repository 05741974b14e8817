import type { FileDiff } from '#shared/contract/views.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useOfferUndo } from '../parts/use-offer-undo.ts'
import { refusalOf } from '../state/connection/refusal.ts'
import { type Command, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'

const labels = strings.changes

export interface ChangeActions {
  readonly command: Command
  /** Takes the files' changes out of the workspace. */
  revert(paths: readonly VirtualPath[]): Promise<boolean>
  revertHunk(diff: FileDiff & { readonly shown: string }, hunk: number): Promise<boolean>
  /** The same as reverting, said of a file that somebody else changed on disk. */
  takeDisk(path: VirtualPath): Promise<boolean>
  /** What cannot be joined by itself is left to `onOverlap`. */
  join(path: VirtualPath, onOverlap: () => void): Promise<boolean>
}

/** What a person does with changes of the workspace; each act says what it did and can be taken back. */
export function useChangeActions(branchId: BranchId): ChangeActions {
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const offerUndo = useOfferUndo()
  const target = { projectId, branchId }

  async function runWithUndo(message: string, act: () => Promise<{ readonly sequence: number }>): Promise<boolean> {
    return command.run(async () => offerUndo(message, (await act()).sequence))
  }

  return {
    command,
    revert: (paths) =>
      runWithUndo(paths.length === 1 ? labels.reverted(paths[0] ?? '') : labels.revertedFiles(paths.length), () =>
        client.changes.revert({ ...target, paths: [...paths] }),
      ),
    revertHunk: ({ path, shown }, hunk) =>
      runWithUndo(labels.revertedHunk(path), () =>
        client.changes.revertHunks({ ...target, path, hunks: [hunk], shown }),
      ),
    takeDisk: (path) =>
      runWithUndo(strings.drift.tookDisk(path), () => client.changes.revert({ ...target, paths: [path] })),
    join: (path, onOverlap) =>
      command.run(async () => {
        try {
          const { sequence } = await client.changes.takeDisk({ ...target, path, text: null })
          offerUndo(strings.drift.joined(path), sequence)
        } catch (error) {
          if (refusalOf(error).code !== 'CONFLICT') throw error
          onOverlap()
        }
      }),
  }
}
