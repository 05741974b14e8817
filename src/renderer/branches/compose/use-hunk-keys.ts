import { type KeyboardEvent, type RefObject, useState } from 'react'
import type { CompositionRow } from '#shared/contract/views/compositions.ts'
import { type ComposeSegment, type HunkPick, hunksOf, textFrom } from '#shared/model/compose/composition.ts'
import { bothOf, type Chosen } from './composition-draft.ts'

interface HunkKeys {
  /** Holds the hunks. */
  readonly box: RefObject<HTMLElement | null>
  readonly row: CompositionRow
  readonly segments: readonly ComposeSegment[]
  readonly picks: readonly Chosen[]
  readonly isWhole: boolean
  readonly pick: (hunk: number, chosen: HunkPick) => void
  readonly takeWhole: (from: number | null) => void
}

/** Numbers choose a version, 0 the base, B both, E the text by hand; N and P go to the next hunk and the one before. */
export function useHunkKeys({ box, row, segments, picks, isWhole, pick, takeWhole }: HunkKeys) {
  const [at, setAt] = useState(0)
  const hunks = hunksOf(segments)
  function goTo(place: number): void {
    const next = Math.min(Math.max(place, 0), hunks.length - 1)
    setAt(next)
    const hunk = box.current?.querySelector<HTMLElement>(`[data-hunk="${next}"]`)
    hunk?.focus({ preventScroll: true })
    hunk?.scrollIntoView({ block: 'nearest' })
  }
  /** Takes the version of a source, -1 for the base. False where it has none here. */
  function take(source: number): boolean {
    const from = source < 0 ? null : source
    const known = isWhole ? row.versions : (hunks[at]?.changes ?? [])
    if (from !== null && !known.some((one) => one.source === from)) return false
    if (isWhole) takeWhole(from)
    else if (hunks[at]) pick(at, { from: from === null ? [] : [from] })
    return true
  }
  function edit(): void {
    const known = picks[at]?.pick
    const hunk = hunks[at]
    if (hunk) pick(at, { text: known && 'text' in known ? known.text : (textFrom(hunk, known?.from ?? []) ?? '') })
  }
  function carryOut(key: string): boolean {
    if (/^[0-9]$/.test(key)) return take(Number(key) - 1)
    if (isWhole) return false
    const both = key === 'b' ? bothOf(segments, at) : null
    if (both) pick(at, { from: both })
    else if (key === 'e') edit()
    else if (key === 'n') goTo(at + 1)
    else if (key === 'p') goTo(at - 1)
    else return false
    return true
  }
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    if (!carryOut(event.key.toLowerCase())) return
    event.preventDefault()
    event.stopPropagation()
  }
  return { at, setAt, goTo, onKeyDown }
}

function isTyping(target: EventTarget): boolean {
  return target instanceof Element && target.closest('input, textarea, [contenteditable="true"]') !== null
}
