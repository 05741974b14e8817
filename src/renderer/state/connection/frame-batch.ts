/** When the next flush is due; a hidden page has no animation frames, so a timer runs beside them. */
type Schedule = (flush: () => void) => void

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

/** So many at most in one frame: a long journal that is read at once must not stop the page. */
const perFrame = 1000

/** Collects items and hands them over together, once per frame. */
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
