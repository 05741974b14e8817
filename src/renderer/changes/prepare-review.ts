import type { FileChange } from '#shared/model/branch.ts'
import { fetchHighlighter } from '../ui/code/use-highlighter.ts'
import { filesInOrder } from './change-tree.ts'

/** So many files fill the first screen of a review. */
const firstFiles = 8

/**
 * Makes what a review of these changes begins with: the tree of its files, the font of its code, and the languages of
 * its first files. So it opens sooner, and no line moves when the font comes.
 */
export function prepareReview(changes: readonly FileChange[]): void {
  const first = filesInOrder(changes).slice(0, firstFiles)
  for (const { path } of first) fetchHighlighter({ path })
  const font = getComputedStyle(document.documentElement).getPropertyValue('--font-mono')
  // The font of the system is drawn when it cannot be fetched.
  document.fonts.load(`12px ${font}`).catch(() => undefined)
}
