import type { AriaRole, ComponentProps, ReactNode } from 'react'

/** A box with an ARIA role, for roles that have no HTML element or one with a layout of its own. */
export function AriaElement({ role, ...rest }: ComponentProps<'div'> & { role: AriaRole }): ReactNode {
  return <div role={role} {...rest} />
}

/** Props for a scrolling box without a focusable element: makes it scroll by keyboard. */
export const reachable = { tabIndex: 0 } as const

interface Keyed<Item> {
  readonly key: string
  readonly item: Item
}

/** Gives each item its index as key. Only for lists whose items have no id and never move. */
export function withKeys<Item>(items: readonly Item[]): readonly Keyed<Item>[] {
  return items.map((item, place) => ({ key: String(place), item }))
}
