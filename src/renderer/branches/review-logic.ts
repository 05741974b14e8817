import type { BranchFile } from '#shared/contract/views/branches.ts'
import type { Branch, MergeNote, MergeResult, MergeStatus } from '#shared/model/branch.ts'
import { strings } from '../strings/strings.ts'

const labels = strings.branches
const shownInOrder = ['clean', 'mergeable', 'conflict', 'merged', 'identical'] as const

/** Says what merging everything would find: "7 clean, 1 conflict". `merged` are the files that a merge brought over. */
export function preflight(files: readonly BranchFile[], merged: ReadonlySet<BranchFile['path']> = new Set()): string {
  const counts = new Map<MergeStatus | 'merged', number>()
  for (const { status, path } of files) {
    const kind = status === 'identical' && merged.has(path) ? 'merged' : status
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
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

/** The merge that brought a file into the parent, unless it was undone or something is left to merge. */
export function mergeOf({ merges }: Branch, { path, status }: BranchFile): MergeNote | null {
  if (status !== 'identical') return null
  return merges.findLast(({ undone, paths }) => !undone && paths.includes(path)) ?? null
}

export function mergedPaths({ merges }: Branch): ReadonlySet<BranchFile['path']> {
  return new Set(merges.flatMap(({ undone, paths }) => (undone ? [] : paths)))
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
