/** Splits into lines that keep their ends. Only a line feed ends a line, so a lone carriage return is content. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** How many lines at the beginning and at the end of two texts are the same. */
export function equalEnds(one: readonly string[], other: readonly string[]): { before: number; behind: number } {
  const most = Math.min(one.length, other.length)
  let before = 0
  while (before < most && one[before] === other[before]) before += 1
  let behind = 0
  while (before + behind < most && one.at(-1 - behind) === other.at(-1 - behind)) behind += 1
  return { before, behind }
}
