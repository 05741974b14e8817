/** Tells a person something, on standard error. Names of files and what models say are in it, and a terminal obeys none of it. */
export function say(text: string): void {
  process.stderr.write(`${visible(text)}\n`)
}

/** Characters that a terminal obeys, or that hide or turn round what is written, as their code. */
export function visible(text: string): string {
  return text.replace(
    /[^\P{Cc}\n\t]|\p{Cf}/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16).padStart(4, '0')}}`,
  )
}
