export interface Keyed<Item> {
  readonly key: string
  readonly item: Item
}

/** For lists whose items have no name of their own and never change places: the place is the key. */
export function keyed<Item>(items: readonly Item[]): readonly Keyed<Item>[] {
  return items.map((item, place) => ({ key: String(place), item }))
}
