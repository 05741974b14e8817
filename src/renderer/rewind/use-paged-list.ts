import { useState } from 'react'

/** The number of rows rendered at once. More would block the page. */
const atOnce = 200

interface PagedList<Item> {
  readonly shown: readonly Item[]
  /** The number of items that are not shown yet. */
  readonly left: number
  showMore(): void
}

/** The beginning of a long list, which grows on request. An item that `must` accepts is always included. */
export function usePagedList<Item>(items: readonly Item[], must?: (item: Item) => boolean): PagedList<Item> {
  const [limit, setLimit] = useState(atOnce)
  const needed = must ? items.findIndex(must) + 1 : 0
  const shown = items.slice(0, Math.max(limit, needed))
  return { shown, left: items.length - shown.length, showMore: () => setLimit(shown.length + atOnce) }
}
