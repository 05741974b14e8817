import type { AriaRole, ComponentProps, ReactNode } from 'react'

/** A plain box with a role that HTML has no element for, or whose element brings a layout of its own. */
export function AriaElement({ role, ...rest }: ComponentProps<'div'> & { role: AriaRole }): ReactNode {
  return <div role={role} {...rest} />
}

/** For what scrolls and holds nothing that takes the focus: the keyboard must be able to scroll it too. */
export const reachable = { tabIndex: 0 } as const

interface Keyed<Item> {
  readonly key: string
  readonly item: Item
}

/** For lists whose items have no name of their own and never change places: the place is the key. */
export function withKeys<Item>(items: readonly Item[]): readonly Keyed<Item>[] {
  return items.map((item, place) => ({ key: String(place), item }))
}
