import { useSavedChoice } from '../../state/preferences/use-saved-choice.ts'
import type { DiffLayout } from '../../ui/diff/diff-rows.ts'

/** How a person looks at a review. All of it is remembered. */
export interface ReviewLook {
  readonly layout: DiffLayout
  /** Whether there is room for two columns at all. */
  readonly fitsTwo: boolean
  setLayout(layout: DiffLayout): void
  readonly wrap: boolean
  setWrap(wrap: boolean): void
  /** Whether the tree of files is shown. */
  readonly tree: boolean
  setTree(tree: boolean): void
}

/** From this width on, two columns are the first choice. A list that is narrower than the second never has two. */
const widths = { wide: 900, two: 600 } as const

/** @param width of the list of changes, in pixels */
export function useReviewLook(width: number): ReviewLook {
  const [chosen, setChosen] = useSavedChoice<DiffLayout | 'auto'>('coppice-diff-layout', ['auto', 'unified', 'split'])
  const [narrow, setNarrow] = useSavedChoice<DiffLayout>('coppice-diff-layout-narrow', ['unified', 'split'])
  const [wrap, setWrap] = useSavedChoice<'wrap' | 'scroll'>('coppice-diff-wrap', ['wrap', 'scroll'])
  const [tree, setTree] = useSavedChoice<'shown' | 'hidden'>('coppice-diff-tree', ['shown', 'hidden'])
  const isWide = width >= widths.wide
  const fitsTwo = width >= widths.two
  const wanted = isWide ? (chosen === 'auto' ? 'split' : chosen) : narrow
  return {
    layout: fitsTwo ? wanted : 'unified',
    fitsTwo,
    setLayout: (layout) => (isWide ? setChosen(layout) : setNarrow(layout)),
    wrap: wrap === 'wrap',
    setWrap: (on) => setWrap(on ? 'wrap' : 'scroll'),
    tree: tree === 'shown',
    setTree: (on) => setTree(on ? 'shown' : 'hidden'),
  }
}
