/** An immutable list that grows at one end. A longer list shares its older items with the list it was made from. */
export interface Chain<Value> {
  readonly value: Value
  readonly before: Chain<Value> | null
  readonly length: number
}

export function chain<Value>(before: Chain<Value> | null, value: Value): Chain<Value> {
  return { value, before, length: (before?.length ?? 0) + 1 }
}

/** Latest first. */
export function* latestFirst<Value>(chain: Chain<Value> | null | undefined): Generator<Value> {
  for (let link = chain ?? null; link; link = link.before) yield link.value
}

/** Oldest first. */
export function valuesOf<Value>(chain: Chain<Value> | null): Value[] {
  return [...latestFirst(chain)].reverse()
}
