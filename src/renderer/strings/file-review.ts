import type { FileChange } from '#shared/model/branch.ts'
import { formatNumber } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'

interface FoundLines {
  /** Which of them is shown, from 1; 0 for none. */
  readonly at: number
  readonly count: number
  /** Files. */
  readonly searched: number
  readonly of: number
  readonly skipped: number
  /** True if there were too many to look further. */
  readonly stopped: boolean
}

/** The list of changed files and their lines. */
export const fileReviewStrings = {
  list: 'Changes by file',
  toolbar: 'View of the changes',
  tree: 'Tree of files',
  filter: 'Filter files',
  filtered: (shown: number, of: number) => `${formatNumber(shown)} of ${formatNumber(of)}`,
  since: 'Since I last looked',
  sinceHint: 'Since I last looked: only files that changed after you left this review',
  sinceNever: 'Since I last looked: you have not looked at this before',
  sinceNone: 'Nothing has changed since you last looked.',
  noMatch: (filter: string) => `No changed file has “${filter}” in its path.`,
  viewed: 'Viewed',
  viewedLabel: (path: string) => `Viewed ${path}`,
  viewedCount: (viewed: number, of: number) => `${formatNumber(viewed)}/${formatNumber(of)} viewed`,
  viewedHint: 'A change of a file takes its mark back.',
  fold: (path: string) => `Fold ${path}`,
  unfold: (path: string) => `Unfold ${path}`,
  foldOne: 'Fold',
  unfoldOne: 'Unfold',
  more: (path: string) => `More for ${path}`,
  copyPath: 'Copy path',
  copyPatch: 'Copy patch of this file',
  patchNotCopied: 'The patch was not copied',
  openFile: 'Open file',
  deleted: 'The file is deleted.',
  reason: { lock: 'Lock file', generated: 'Generated' },
  largeChange: ({ added, removed }: FileChange) =>
    `Large change: ${formatNumber((added ?? 0) + (removed ?? 0))} lines.`,
  compute: 'Compute anyway',
  longLines: 'This file has very long lines, as minified code has.',
  showLong: 'Show',
  wrap: 'Wrap long lines',
  find: 'Find in the changes',
  findIn: 'Find in all changed lines',
  found: ({ at, count, searched, of, skipped, stopped }: FoundLines) => {
    const lines = `${formatNumber(count)} ${count === 1 ? 'line' : 'lines'}`
    const place = count === 0 ? 'No line' : at > 0 ? `${formatNumber(at)} of ${lines}` : lines
    if (stopped) return `${place} in the first ${formatNumber(searched)} of ${formatNumber(of)} files`
    const left = skipped > 0 ? ` · ${plural(skipped, 'large or binary file', 'large or binary files')} left out` : ''
    return searched < of ? `${place} · ${formatNumber(searched)} of ${formatNumber(of)} files` : `${place}${left}`
  },
  previousMatch: 'Previous match',
  nextMatch: 'Next match',
  closeFind: 'Close the search',
} as const
