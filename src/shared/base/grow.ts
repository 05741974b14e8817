/** Returns a list with one more item at its end. */
export type Grow = <Value>(list: readonly Value[], value: Value) => readonly Value[]

/** Makes a new list each time, so the old one never changes. A spread would leave room for sixteen more values in it. */
export const copied: Grow = (list, value) => list.concat([value])

/**
 * For a fold over many entries when nobody keeps the states in between. Lists made here grow in place, so a long
 * conversation is not copied for every message.
 */
export function growingInPlace(): Grow {
  const own = new WeakSet<readonly unknown[]>()
  return (list, value) => {
    if (own.has(list)) {
      ;(list as (typeof value)[]).push(value)
      return list
    }
    const grown = [...list, value]
    own.add(grown)
    return grown
  }
}
