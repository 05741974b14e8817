const tab = 9
const newline = 10

/**
 * Text that a paste may hand to a shell. Control characters are taken out, all but tabs and line ends: among them is what
 * ends a bracketed paste and would go on as keys.
 */
export function sanitisePaste(text: string): string {
  return [...text.replace(/\r\n?/g, '\n')].filter(isPlain).join('')
}

function isPlain(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  if (code === tab || code === newline) return true
  return code >= 32 && (code < 127 || code > 159)
}

/** A shell that does not know bracketed paste runs each line as it comes. */
export function runsAtOnce(text: string, bracketed: boolean): boolean {
  return !bracketed && text.includes('\n')
}
