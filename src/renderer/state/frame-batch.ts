/** When the next flush is due; a hidden page has no animation frames, so a timer runs beside them. */
export type Schedule = (flush: () => void) => void

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

/** Collects items and hands them over together, once per frame. */
export function batchPerFrame<Item>(
  deliver: (items: readonly Item[]) => void,
  schedule: Schedule,
): (item: Item) => void {
  let waiting: Item[] = []
  return (item) => {
    waiting.push(item)
    if (waiting.length > 1) return
    schedule(() => {
      const items = waiting
      waiting = []
      deliver(items)
    })
  }
}
