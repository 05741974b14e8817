import { type PointerEvent, useEffect, useRef, useState } from 'react'
import { type TodoStatus, todoStatuses } from '#shared/model/todos/todo.ts'
import type { DropPlace } from './board.ts'

/** A card that follows the pointer. */
export interface Drag {
  readonly key: string
  /** Where the card would go now; null outside of the board. */
  readonly over: DropPlace | null
  /** The size of the card, for the picture under the pointer. */
  readonly width: number
}

interface Press {
  readonly key: string
  readonly x: number
  readonly y: number
  /** From the pointer to the corner of the card. */
  readonly offsetX: number
  readonly offsetY: number
  readonly width: number
}

interface Dragging {
  readonly drag: Drag | null
  /** For the picture of the card: follows the pointer. */
  readonly attachGhost: (element: HTMLElement | null) => void
  /** Begins to watch the pointer. A finger drags only by the handle, so that it can scroll elsewhere. */
  onPointerDown(event: PointerEvent<HTMLElement>, key: string): void
}

/** The pointer moves this many pixels before a press becomes a drag. */
const threshold = 5
const edge = 48
const fastest = 14

/**
 * Drags cards with mouse, pen and finger. Cards have their key as `data-card`, columns their status as `data-column`.
 * Esc puts the card back. `onDrop` gets the place where the card was let go.
 */
export function useDrag(onDrop: (key: string, place: DropPlace) => void): Dragging {
  const [drag, setDrag] = useState<Drag | null>(null)
  const ghost = useRef<HTMLElement | null>(null)
  const pointer = useRef({ left: 0, top: 0 })
  const end = useRef<() => void>(() => undefined)
  useEffect(() => () => end.current(), [])

  function watch(board: HTMLElement, press: Press): void {
    let over: DropPlace | null = null
    let started = false
    let frame = 0
    let at = { x: press.x, y: press.y }

    function look(): void {
      pointer.current = { left: at.x - press.offsetX, top: at.y - press.offsetY }
      place(ghost.current, pointer.current)
      const next = placeAt(board, at.x, at.y)
      if (started && samePlace(over, next)) return
      started = true
      over = next
      setDrag({ key: press.key, over, width: press.width })
    }
    function scroll(): void {
      scrollAtEdge(board, at.x, at.y)
      look()
      frame = requestAnimationFrame(scroll)
    }
    function onMove(event: globalThis.PointerEvent): void {
      at = { x: event.clientX, y: event.clientY }
      if (started) look()
      else if (Math.hypot(at.x - press.x, at.y - press.y) >= threshold) scroll()
    }
    function onUp(): void {
      const target = over
      const dragged = started
      stop()
      if (!dragged) return
      // The click that follows belongs to the drag.
      window.addEventListener('click', swallow, { capture: true, once: true })
      setTimeout(() => window.removeEventListener('click', swallow, { capture: true }))
      if (target) onDrop(press.key, target)
    }
    function onKey(event: KeyboardEvent): void {
      if (event.key !== 'Escape' || !started) return
      event.preventDefault()
      event.stopPropagation()
      stop()
    }
    function stop(): void {
      cancelAnimationFrame(frame)
      window.removeEventListener('pointermove', onMove)
      window.removeEventListener('pointerup', onUp)
      window.removeEventListener('pointercancel', stop)
      window.removeEventListener('keydown', onKey, { capture: true })
      window.removeEventListener('selectstart', swallow)
      end.current = () => undefined
      setDrag(null)
    }
    window.addEventListener('pointermove', onMove)
    window.addEventListener('pointerup', onUp)
    window.addEventListener('pointercancel', stop)
    window.addEventListener('keydown', onKey, { capture: true })
    window.addEventListener('selectstart', swallow)
    end.current = stop
  }

  return {
    drag,
    attachGhost(element) {
      ghost.current = element
      place(element, pointer.current)
    },
    onPointerDown(event, key) {
      const target = event.target as HTMLElement
      if (event.button !== 0 || target.closest('button, input, textarea, a')) return
      if (event.pointerType === 'touch' && !target.closest('[data-handle]')) return
      const board = event.currentTarget.closest<HTMLElement>('[data-board]')
      const box = event.currentTarget.getBoundingClientRect()
      if (!board) return
      end.current()
      watch(board, {
        key,
        x: event.clientX,
        y: event.clientY,
        offsetX: event.clientX - box.left,
        offsetY: event.clientY - box.top,
        width: box.width,
      })
    },
  }
}

function swallow(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}

function place(ghost: HTMLElement | null, { left, top }: { readonly left: number; readonly top: number }): void {
  if (ghost) ghost.style.transform = `translate(${left}px, ${top}px)`
}

function samePlace(one: DropPlace | null, other: DropPlace | null): boolean {
  return one?.status === other?.status && one?.before === other?.before
}

/** The place under the pointer: before or after the card there, or at the end of the column. */
function placeAt(board: HTMLElement, x: number, y: number): DropPlace | null {
  const element = document.elementsFromPoint(x, y).find((one) => board.contains(one) && one.closest('[data-column]'))
  const column = element?.closest<HTMLElement>('[data-column]')
  const status = todoStatuses.find((one): one is TodoStatus => one === column?.dataset.column)
  if (!element || !status) return null
  const card = element.closest<HTMLElement>('[data-card]')
  if (!card) return { status, before: element.closest<HTMLElement>('[data-first]')?.dataset.first || null }
  const box = card.getBoundingClientRect()
  // The place before the dragged card is where it is now.
  const before = y < box.top + box.height / 2 ? card.dataset.card : card.dataset.next
  return { status, before: before || null }
}

/** Scrolls the list under the pointer when the pointer is near its upper or lower edge. */
function scrollAtEdge(board: HTMLElement, x: number, y: number): void {
  const list = document
    .elementsFromPoint(x, y)
    .find((one) => one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY !== 'visible')
  if (!list || !(board.contains(list) || list.contains(board))) return
  const { top, bottom } = list.getBoundingClientRect()
  const near = y < top + edge ? y - (top + edge) : y > bottom - edge ? y - (bottom - edge) : 0
  if (near !== 0) list.scrollTop += (near / edge) * fastest
}
