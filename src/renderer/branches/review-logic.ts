import type { BranchFile } from '#shared/contract/views/branches.ts'
import type { MergeResult, MergeStatus } from '#shared/model/branch.ts'
import { strings } from '../strings/strings.ts'

const labels = strings.branches
const shownInOrder = ['clean', 'mergeable', 'conflict', 'identical'] as const

/** Says what merging everything would find: "7 clean, 1 conflict". */
export function preflight(files: readonly BranchFile[]): string {
  const counts = new Map<MergeStatus, number>()
  for (const { status } of files) counts.set(status, (counts.get(status) ?? 0) + 1)
  const parts = shownInOrder.flatMap((status) => {
    const count = counts.get(status)
    return count ? [labels.preflight[status](count)] : []
  })
  return parts.join(', ') || labels.preflight.none
}

/** The files that *Merge all clean* merges: those without a conflict or a three-way merge. */
export function cleanPaths(files: readonly BranchFile[]): readonly BranchFile['path'][] {
  return files.filter(({ status }) => status === 'clean').map(({ path }) => path)
}

export function countMerged({ written, deleted, renamed, merged }: MergeResult): number {
  return new Set([...written, ...deleted, ...merged, ...renamed.map(({ to }) => to)]).size
}

type ReviewKey = 'next' | 'previous' | 'merge' | 'force' | 'discard'

/** The action of a key on a file of a review: `]` and `[` move, `m` merges, Shift+F forces, Delete discards. */
export function reviewKey(key: string, shift: boolean): ReviewKey | null {
  switch (key) {
    case ']':
    case 'ArrowDown':
      return 'next'
    case '[':
    case 'ArrowUp':
      return 'previous'
    case 'm':
      return 'merge'
    case 'F':
      return shift ? 'force' : null
    case 'Delete':
      return 'discard'
    default:
      return null
  }
}
