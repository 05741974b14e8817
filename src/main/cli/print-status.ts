/**
 * Prints to standard error for a person. The text may contain file names and model output, so control characters are
 * escaped.
 */
export function printStatus(text: string): void {
  process.stderr.write(`${visible(text)}\n`)
}

/** Replaces characters that a terminal obeys, or that hide or reorder text, by their codes. */
export function visible(text: string): string {
  return text.replace(
    /[^\P{Cc}\n\t]|\p{Cf}/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16).padStart(4, '0')}}`,
  )
}
