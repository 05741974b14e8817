/** Lines with their own ends; only a line feed ends a line, so that a lone carriage return stays content. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** How many lines at the beginning of two texts, and at their ends, are the same. */
export function equalEnds(one: readonly string[], other: readonly string[]): { before: number; behind: number } {
  const most = Math.min(one.length, other.length)
  let before = 0
  while (before < most && one[before] === other[before]) before += 1
  let behind = 0
  while (before + behind < most && one.at(-1 - behind) === other.at(-1 - behind)) behind += 1
  return { before, behind }
}
