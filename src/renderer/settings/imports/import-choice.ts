import type { ImportItem } from '#shared/contract/views/imports.ts'

/** What a person decided about single items, by id. All others are chosen if they are safe. */
export type Decisions = ReadonlyMap<string, boolean>

/** True for an item that can be taken. */
export function isOpen({ state }: ImportItem): boolean {
  return state === 'new' || state === 'differs'
}

/** The ids of the items that are chosen. */
export function chosenOf(items: readonly ImportItem[], decisions: Decisions): readonly string[] {
  return items.filter((item) => isOpen(item) && (decisions.get(item.id) ?? item.safe)).map(({ id }) => id)
}

/** The decisions after one more. Of several that would be the same thing here, only one is chosen. */
export function decide(items: readonly ImportItem[], decisions: Decisions, item: ImportItem, on: boolean): Decisions {
  const rivals = on ? items.filter((one) => one.kind === item.kind && one.target === item.target) : []
  return new Map([...decisions, ...rivals.map((one) => [one.id, false] as const), [item.id, on]])
}

/** All that is new, and of several that would be the same thing the first. */
export function decideAll(items: readonly ImportItem[], on: boolean): Decisions {
  const targets = new Set<string>()
  return new Map(
    items.filter(isOpen).map((item) => {
      const key = `${item.kind} ${item.target}`
      const isFirst = !targets.has(key)
      targets.add(key)
      return [item.id, on && item.state === 'new' && isFirst]
    }),
  )
}
