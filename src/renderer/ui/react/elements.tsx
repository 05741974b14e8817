import type { AriaRole, ComponentProps, ReactNode } from 'react'

/** A box with an ARIA role. Use it where HTML has no element for the role, or only one with its own layout. */
export function AriaElement({ role, ...rest }: ComponentProps<'div'> & { role: AriaRole }): ReactNode {
  return <div role={role} {...rest} />
}

/** Props for a scrolling box without a focusable element. They make it scroll by keyboard. */
export const reachable = { tabIndex: 0 } as const

interface Keyed<Item> {
  readonly key: string
  readonly item: Item
}

/** Gives each item its index as key. Use it only for lists whose items have no id and never move. */
export function withKeys<Item>(items: readonly Item[]): readonly Keyed<Item>[] {
  return items.map((item, place) => ({ key: String(place), item }))
}
