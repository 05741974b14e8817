/** The last of a text that may never end. */
export function createTail(characters: number): { add(text: string): void; text(): string } {
  let kept = ''
  return {
    add(text) {
      kept = (kept + text).slice(-characters)
    },
    text: () => kept,
  }
}
