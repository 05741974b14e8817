/** True when no element has the focus, for example because the one that had it was removed. */
export function isFocusNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}

/** False for what lies behind an open dialog. A dialog keeps the focus, whatever is rendered behind it. */
export function mayTakeFocus(element: Element): boolean {
  const dialogs = document.querySelectorAll('[role="dialog"], [role="alertdialog"]')
  return [...dialogs].every((dialog) => dialog.contains(element))
}

/** Milliseconds until a list that scrolled is at rest. Before, it may remove a row and draw it again. */
const settles = 300
/** Frames that this takes at least: one slow frame is no rest. */
const settlesFrames = 10
/** Milliseconds for which a list may go on correcting the place that it was asked for, on a slow machine too. */
export const listCorrects = 3_000
/** Milliseconds after which something that is not drawn is given up. */
const patience = 10_000

/** What a person does after looking. */
const acts = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

interface HoldOptions {
  /** What has the focus until then. Without it, the focus is taken from whatever has it. */
  readonly from?: Element | null
  /** Whether the element is scrolled into sight as long as it is held. Then it is at rest once it has not moved. */
  readonly keepsInSight?: boolean
  /** Milliseconds until the list is at rest, if not the usual ones. */
  readonly restMs?: number
  /** Asks the list again to go there, because it stopped before the element was drawn. */
  readonly seek?: () => void
  readonly onEnd?: () => void
}

/**
 * Focuses an element once it is drawn and no dialog is open over it, and again if its list draws it anew before it is at
 * rest. Ends at once when the person puts the focus elsewhere, and does not scroll against a person. Returns a function
 * that ends it.
 */
export function holdFocus(find: () => HTMLElement | null | undefined, options: HoldOptions = {}): () => void {
  const { from = null, keepsInSight = false, restMs = settles, seek, onEnd } = options
  const beganAt = performance.now()
  /** When the element got the focus, or moved last. */
  let movedAt: number | null = null
  let top: number | null = null
  let frames = 0
  let soughtAt = beganAt
  let frame = 0
  /** Returns whether there is more to do. */
  function tryOnce(): boolean {
    const now = performance.now()
    const element = find() ?? null
    const active = document.activeElement
    const isElsewhere = active !== element && active !== from && !isFocusNowhere()
    if (isElsewhere && (movedAt !== null || from !== null)) return false
    if (element && active !== element && mayTakeFocus(element)) element.focus({ preventScroll: keepsInSight })
    if (element && document.activeElement === element) {
      movedAt ??= now
      frames += 1
      if (keepsInSight) keepInSight(element, now)
    }
    if (!element && now - soughtAt > settles) {
      soughtAt = now
      seek?.()
    }
    const isAtRest = movedAt !== null && element !== null && now - movedAt > restMs && frames > settlesFrames
    return !isAtRest && now - beganAt <= patience
  }
  /** What stands above may get its height late, and pushes the element away. */
  function keepInSight(element: HTMLElement, now: number): void {
    if (element.getBoundingClientRect().top !== top) {
      movedAt = now
      frames = 0
    }
    element.scrollIntoView({ block: 'nearest' })
    top = element.getBoundingClientRect().top
  }
  const listening = new AbortController()
  function release(): void {
    listening.abort()
    cancelAnimationFrame(frame)
  }
  function end(): void {
    release()
    onEnd?.()
  }
  function keep(): void {
    if (tryOnce()) frame = requestAnimationFrame(keep)
    else end()
  }
  for (const act of keepsInSight ? acts : [])
    document.addEventListener(act, () => movedAt !== null && end(), { capture: true, signal: listening.signal })
  keep()
  return release
}
