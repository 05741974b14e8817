import type { IFunctionIdentifier, Terminal } from '@xterm/xterm'

/**
 * Control sequences that ask the terminal about itself: device attributes and status, modes, settings, version,
 * window and keyboard reports (ECMA-48, xterm). The answers would arrive as typed keys, chosen by whoever wrote the
 * output. So these sequences are dropped and never answered.
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
/** These set a colour, or ask for it with a question mark. Only the questions are dropped. */
const colours = [4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
const clipboard = 52

/** Restricts output to display: it cannot type, and cannot read or write the clipboard. */
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
 * Removes control characters from pasted text, except tabs and line breaks. One of them could end a bracketed paste,
 * and the shell would take the rest as typed keys.
 */
export function sanitisePaste(text: string): string {
  return [...text.replace(/\r\n?/g, '\n')].filter(isPlain).join('')
}

function isPlain(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  if (code === tab || code === newline) return true
  return code >= 32 && (code < 127 || code > 159)
}

/** Whether a shell would run each pasted line at once, which happens without bracketed paste. */
export function runsAtOnce(text: string, bracketed: boolean): boolean {
  return !bracketed && text.includes('\n')
}
