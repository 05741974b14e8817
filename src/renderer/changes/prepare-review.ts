import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId, ProjectId } from '#shared/model/ids.ts'
import type { QueryCache } from '../state/connection/query-cache.ts'
import { fetchHighlighter } from '../ui/code/use-highlighter.ts'
import { filesInOrder } from './change-tree.ts'
import { diffQuery } from './review/use-file-diff.ts'

export interface PreparedReview {
  readonly queries: QueryCache
  readonly projectId: ProjectId
  readonly branchId: BranchId
  readonly changes: readonly FileChange[]
}

/** So many files fill the first screen of a review. */
const firstFiles = 8

/** A longer comparison would keep the host busy, perhaps for nothing. */
const linesAtMost = 1_000

/**
 * Makes what a review of these changes begins with: the tree of its files, the font of its code, and the languages and
 * comparisons of its first files. So it opens sooner, and no line moves when the font comes. The comparisons are kept
 * until the returned function is called.
 */
export function prepareReview({ queries, projectId, branchId, changes }: PreparedReview): () => void {
  const first = filesInOrder(changes).slice(0, firstFiles)
  for (const { path } of first) fetchHighlighter({ path })
  const font = getComputedStyle(document.documentElement).getPropertyValue('--font-mono')
  // The font of the system is drawn when it cannot be fetched.
  document.fonts.load(`12px ${font}`).catch(() => undefined)
  const kept = first
    .filter(({ added, removed }) => (added ?? linesAtMost) + (removed ?? linesAtMost) <= linesAtMost)
    .map((change) => queries.watch(diffQuery(projectId, branchId, change), () => undefined))
  return () => {
    for (const release of kept) release()
  }
}
