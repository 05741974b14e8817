/** What one side puts in while another takes it out in the same order. */
export interface TurnQueue<Item> extends AsyncIterable<Item> {
  put(item: Item): void
  /** Nothing more comes. With an error, whoever takes meets it behind the last item. */
  close(error?: unknown): void
}

export function createTurnQueue<Item>(): TurnQueue<Item> {
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
      items.push(item)
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
