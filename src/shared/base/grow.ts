/** A list with one more at its end. */
export type Grow = <Value>(list: readonly Value[], value: Value) => readonly Value[]

/** A new list each time: whoever holds the old one sees nothing of it. */
export const copied: Grow = (list, value) => [...list, value]

/**
 * For a fold over many entries whose states in between nobody keeps: a list it has made itself grows in place, so that a long
 * conversation is not copied with every message.
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
