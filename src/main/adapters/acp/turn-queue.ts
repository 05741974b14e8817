/** What one side puts in while another takes it out in the same order. */
export interface TurnQueue<Item> extends AsyncIterable<Item> {
  put(item: Item): void
  /** Nothing more comes. With an error, whoever takes meets it behind the last item. */
  close(error?: unknown): void
}

/** `join`: one item in the place of two that follow each other and wait; null when both must be heard. */
export function createTurnQueue<Item>(join: (last: Item, next: Item) => Item | null): TurnQueue<Item> {
  const items: Item[] = []
  let closed: { readonly error: unknown } | null = null
  let wake = Promise.withResolvers<void>()
  const ring = () => {
    wake.resolve()
    wake = Promise.withResolvers()
  }
  return {
    put(item) {
      if (closed) return
      const last = items.pop()
      const joined = last === undefined ? null : join(last, item)
      if (last !== undefined && joined === null) items.push(last)
      items.push(joined ?? item)
      ring()
    },
    close(error) {
      closed ??= { error }
      ring()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (items.length > 0) yield items.shift() as Item
        if (closed?.error !== undefined) throw closed.error
        if (closed) return
        await wake.promise
      }
    },
  }
}
