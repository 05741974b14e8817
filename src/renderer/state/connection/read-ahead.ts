/** A stream whose first items are read before anybody takes them. */
export interface ReadAhead<Item> {
  /** Resolves with what arrived, once nothing more came for a moment. Rejects when the stream cannot be opened. */
  readonly first: Promise<readonly Item[]>
  /** What comes after `first`. Take it once, after `first`. */
  rest(): AsyncIterable<Item>
  /** All of it, in place of `rest`. */
  all(): AsyncIterable<Item>
}

/** Milliseconds without an item, after which no more are expected at once. */
const calm = 25
/** The same for a stream that has just been opened. One without items is no reason to wait. */
const calmAtFirst = 100
/** The longest time, in milliseconds, for which items are collected. A stream may never pause. */
const longest = 150

/**
 * Reads from a stream as soon as it is open. What the host sends in several pieces is then drawn once, and not piece by
 * piece. `isLast` tells an item after which no more are expected at once.
 */
export function readAhead<Item>(
  opened: Promise<AsyncIterable<Item>>,
  sleep: (milliseconds: number) => Promise<void>,
  isLast: (item: Item) => boolean = () => false,
): ReadAhead<Item> {
  const iterating = opened.then((items) => items[Symbol.asyncIterator]())
  let pending: Promise<IteratorResult<Item>> | undefined
  async function collect(): Promise<readonly Item[]> {
    const iterator = await iterating
    const items: Item[] = []
    let isLate = false
    for (;;) {
      pending = iterator.next()
      const next = await Promise.race([pending, sleep(items.length === 0 ? calmAtFirst : calm)])
      if (next === undefined || next.done) return items
      if (items.length === 0) void sleep(longest).then(() => (isLate = true))
      items.push(next.value)
      pending = undefined
      if (isLate || isLast(next.value)) return items
    }
  }
  const first = collect()
  // Whoever takes it hears of a failure.
  first.catch(() => undefined)
  async function* rest(): AsyncGenerator<Item> {
    const iterator = await iterating
    try {
      for (let next = await (pending ?? iterator.next()); !next.done; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return {
    first,
    rest,
    async *all() {
      yield* await first
      yield* rest()
    },
  }
}
