/**
 * Makes a value again only when one of the things that it is made of is another one. Holds the last value alone, so it
 * suits a question that is asked again and again while nothing changes.
 */
export function keepLast<Sources extends readonly unknown[], Value>(
  make: (...sources: Sources) => Value,
): (...sources: Sources) => Value {
  let last: { readonly sources: Sources; readonly value: Value } | undefined
  return (...sources) => {
    if (!last?.sources.every((source, index) => source === sources[index])) last = { sources, value: make(...sources) }
    return last.value
  }
}
