import { useMemo, useState } from 'react'
import type { ConflictSides } from '#shared/contract/views.ts'
import { strings } from '../state/strings.ts'
import { toastWithUndo } from '../ui/undo-toast.ts'
import { type ConflictPart, conflictParts, joinParts, type Side } from './conflict-text.ts'

export interface ConflictResolution {
  readonly parts: readonly ConflictPart[]
  /** How many parts are for a person to settle. */
  readonly open: number
  /** One for each open part, in order. */
  readonly choices: readonly Side[]
  choose(choices: readonly Side[]): void
  /** One side of the whole file, also where its parts cannot be told apart. */
  chooseWhole(side: Side): void
  readonly result: string
  setResult(text: string): void
}

/** The choices for each open part, and the text they make until somebody writes another. */
export function useConflictResult({ base, ours, theirs }: ConflictSides): ConflictResolution {
  const parts = useMemo(
    () => (ours !== null && theirs !== null ? conflictParts(base ?? '', ours, theirs) : []),
    [base, ours, theirs],
  )
  const open = parts.filter((part) => part.kind === 'open').length
  const [choices, setChoices] = useState<readonly Side[]>(() => Array.from({ length: open }, () => 'ours'))
  const [made, setMade] = useState(() => (parts.length > 0 ? joinParts(parts, choices) : (ours ?? theirs ?? '')))
  const [result, setResult] = useState(made)

  function take(next: readonly Side[], text: string): void {
    if (result !== made && result !== text) offerBack(() => setResult(result))
    setChoices(next)
    setMade(text)
    setResult(text)
  }

  function chooseWhole(side: Side): void {
    const next = choices.map(() => side)
    const whole = { ours, theirs, both: null }[side]
    take(next, whole ?? joinParts(parts, next))
  }

  return { parts, open, choices, choose: (next) => take(next, joinParts(parts, next)), chooseWhole, result, setResult }
}

/** A choice makes the result anew; what a person wrote into it is not lost for that. */
function offerBack(onUndo: () => void): void {
  toastWithUndo({ message: strings.branches.editReplaced, undoLabel: strings.common.undo, onUndo })
}
