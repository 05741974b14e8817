export type NonEmpty<Item> = readonly [Item, ...Item[]]

export function isNonEmpty<Item>(items: readonly Item[]): items is NonEmpty<Item> {
  return items.length > 0
}
