/** Calls `flush` when it is time for the next batch. */
type Schedule = (flush: () => void) => void

/** Calls `flush` in the next animation frame. A hidden page has no frames, so a timer of 200 ms runs as well. */
export function nextFrame(flush: () => void): void {
  let done = false
  const once = (): void => {
    if (done) return
    done = true
    clearTimeout(timer)
    flush()
  }
  const timer = setTimeout(once, 200)
  requestAnimationFrame(once)
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
