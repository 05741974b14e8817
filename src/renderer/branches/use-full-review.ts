import { useEffect, useRef, useState } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import { useApp, useUpdateUi } from '../state/hooks/hooks.tsx'
import { focusWhenRendered } from '../ui/react/use-virtual-rows.ts'

interface FullReview {
  /** True while the review has all the room. */
  readonly is: boolean
  /** True if the person opened it from the list, which is gone now. */
  readonly takesFocus: boolean
  enter(): void
  /** Returns to the list, with the focus on the branch. */
  leave(): void
}

/**
 * The review of a branch in a narrow window: it takes all the room once the person opens the branch or one of its files.
 * `branchId` is null where the window is wide, or nothing is to be reviewed.
 */
export function useFullReview(branchId: BranchId | null): FullReview {
  const [entered, setEntered] = useState(false)
  const hasFile = useApp(({ ui }) => branchId !== null && ui.reviewedFile?.branchId === branchId)
  const updateUi = useUpdateUi()
  const is = branchId !== null && (entered || hasFile)
  const left = useRef(false)
  useEffect(() => {
    if (is || !left.current) return
    left.current = false
    focusWhenRendered(() =>
      document.querySelector<HTMLElement>('[data-branches] [role="tree"] [data-row][tabindex="0"]'),
    )
  }, [is])
  return {
    is,
    takesFocus: is && entered,
    enter: () => setEntered(true),
    leave() {
      left.current = true
      setEntered(false)
      updateUi((ui) => ({ ...ui, reviewedFile: null }))
    },
  }
}
