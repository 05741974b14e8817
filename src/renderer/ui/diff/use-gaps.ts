import { useState } from 'react'
import type { FileDiff } from '#shared/contract/views/files.ts'

/** The unchanged lines between the hunks, as far as a person asked for them. */
interface Gaps {
  readonly after: readonly string[] | null
  readonly opened: ReadonlySet<number>
  /** True if the file is not text, so that the lines between the hunks cannot be shown. */
  readonly unfit: boolean
}

const noGaps: Gaps = { after: null, opened: new Set(), unfit: false }

/** What was opened in each comparison, for when it is shown again. */
const kept = new WeakMap<FileDiff, Gaps>()

/** The opened gaps of this diff. Another diff starts with all gaps closed. */
export function useGaps(
  diff: FileDiff,
  loadAfter: () => Promise<string | null>,
): readonly [Gaps, (gap: number) => void] {
  const [known, setKnown] = useState({ of: diff, gaps: kept.get(diff) ?? noGaps })
  const gaps = known.of === diff ? known.gaps : (kept.get(diff) ?? noGaps)
  async function open(gap: number): Promise<void> {
    const text = gaps.after ?? (await loadAfter())
    const after = typeof text === 'string' ? linesOf(text) : text
    const now = { after, opened: new Set(gaps.opened).add(gap), unfit: after === null }
    kept.set(diff, now)
    setKnown({ of: diff, gaps: now })
  }
  return [gaps, (gap) => void open(gap)]
}

/** Which gaps a diff has. */
export function gapsOf({ change, truncated }: FileDiff): 'none' | 'between' | 'all' {
  if (change.kind === 'create' || change.kind === 'delete') return 'none'
  return truncated ? 'between' : 'all'
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}
