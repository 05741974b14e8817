/** A stream whose first items are read before anybody follows it. */
export interface ReadAhead<Item> {
  /**
   * Collects items, so that what comes in several pieces is drawn once. Resolves after the first item for which `isLast`
   * is true, or with the items so far when `late` resolves. Rejects when the stream cannot be opened.
   */
  first(isLast: (item: Item) => boolean, late: Promise<void>): Promise<readonly Item[]>
  /** What comes after `first`, or everything if that was not called. Take it once, after `first`. */
  rest(): AsyncIterable<Item>
}

/** Begins to read a stream as soon as it is open. */
export function readAhead<Item>(opened: Promise<AsyncIterable<Item>>): ReadAhead<Item> {
  const iterating = opened.then((items) => items[Symbol.asyncIterator]())
  // Whoever takes the items hears of a failure.
  iterating.catch(() => undefined)
  let pending: Promise<IteratorResult<Item>> | undefined
  return {
    async first(isLast, late) {
      const iterator = await iterating
      const items: Item[] = []
      for (;;) {
        pending = iterator.next()
        const next = await Promise.race([pending, late])
        if (!next || next.done) return items
        pending = undefined
        items.push(next.value)
        if (isLast(next.value)) return items
      }
    },
    async *rest() {
      const iterator = await iterating
      try {
        for (let next = await (pending ?? iterator.next()); !next.done; next = await iterator.next()) yield next.value
      } finally {
        await iterator.return?.()
      }
    },
  }
}
