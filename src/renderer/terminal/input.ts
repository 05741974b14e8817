import type { IFunctionIdentifier, Terminal } from '@xterm/xterm'

/**
 * Control sequences that ask the terminal about itself. Its answers would arrive as if the person had typed them, and
 * whoever writes the output would choose them: so they are taken out, and nothing is answered. (ECMA-48, xterm's
 * control sequences: device attributes and status, modes, settings, version, window and keyboard reports.)
 */
const queries: readonly IFunctionIdentifier[] = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
  { prefix: '>', final: 'q' },
  { prefix: '?', final: 'u' },
  { final: 't' },
  { final: 'x' },
]
const settingQueries: readonly IFunctionIdentifier[] = [
  { intermediates: '$', final: 'q' },
  { intermediates: '+', final: 'q' },
]
/** Colours can be set, and asked for by a question mark. */
const colours = [4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
const clipboard = 52

/** Output shows; it neither types, nor reads or writes the clipboard. */
export function guardOutput({ parser }: Terminal): void {
  const swallow = (): boolean => true
  for (const query of queries) parser.registerCsiHandler(query, swallow)
  for (const query of settingQueries) parser.registerDcsHandler(query, swallow)
  for (const colour of colours) parser.registerOscHandler(colour, (data) => data.includes('?'))
  parser.registerOscHandler(clipboard, swallow)
}

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
