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
