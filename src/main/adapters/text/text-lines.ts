/** Lines with their own ends; only a line feed ends a line, so that a lone carriage return stays content. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
