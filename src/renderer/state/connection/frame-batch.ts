/** Calls `flush` when it is time for the next batch. */
type Schedule = (flush: () => void) => void

/** Milliseconds after a key for which somebody counts as typing. */
const typing = 300
/** Milliseconds between two batches meanwhile. A key waits for a frame that is being drawn, so there are fewer of them. */
const betweenKeys = 80

/**
 * Calls `flush` in the next animation frame, and less often while somebody types. A hidden page has no frames, so a
 * timer of 200 ms runs as well.
 */
export function followFrames(page: Pick<Window, 'addEventListener'>): Schedule {
  let [typedAt, flushedAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const onKey = (): void => {
    typedAt = performance.now()
  }
  page.addEventListener('keydown', onKey, { capture: true, passive: true })
  return (flush) => {
    let done = false
    const once = (): void => {
      if (done) return
      done = true
      clearTimeout(timer)
      flushedAt = performance.now()
      flush()
    }
    const timer = setTimeout(once, 200)
    const now = performance.now()
    const pause = now - typedAt < typing ? flushedAt + betweenKeys - now : 0
    if (pause > 0) setTimeout(() => requestAnimationFrame(once), pause)
    else requestAnimationFrame(once)
  }
}

/** The most items delivered in one frame. A long journal that arrives at once must not block the page. */
const perFrame = 1000

/** Collects items and delivers them together, once per frame. */
export function batchPerFrame<Item>(
  deliver: (items: readonly Item[]) => void,
  schedule: Schedule,
): (item: Item) => void {
  let waiting: Item[] = []
  function flush(): void {
    const items = waiting.slice(0, perFrame)
    waiting = waiting.slice(perFrame)
    if (waiting.length > 0) schedule(flush)
    deliver(items)
  }
  return (item) => {
    waiting.push(item)
    if (waiting.length === 1) schedule(flush)
  }
}
