import { fromBinaryText, toBinaryText } from './patch-file.ts'

const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
}
const unescapes = new Map(Object.entries(escapes).map(([character, written]) => [written[1], character]))

/** A name as git writes it into a patch: in C-style quotes when it holds what would end or bend the line. */
export function quoteName(name: string, always = false): string {
  const bytes = toBinaryText(new TextEncoder().encode(name))
  const needsQuotes = [...bytes].some(
    (character) => character < ' ' || character === '\x7f' || character === '"' || character === '\\',
  )
  if (!needsQuotes && !always) return bytes
  const inner = [...bytes].map(
    (character) => escapes[character] ?? (character < ' ' || character === '\x7f' ? octal(character) : character),
  )
  return `"${inner.join('')}"`
}

/** A name after `---` or `+++`: one with a space is ended by a tab, or readers take the rest for a time. */
export function nameLine(name: string): string {
  const quoted = quoteName(name)
  return quoted.startsWith('"') || !quoted.includes(' ') ? quoted : `${quoted}\t`
}

/** The name at the start of a text, and what follows it; undefined when a quote is not closed. */
export function readName(text: string): { readonly name: string; readonly rest: string } | undefined {
  if (!text.startsWith('"')) return { name: decode(text.replace(/\t$/, '')), rest: '' }
  const match = /^"((?:[^"\\]|\\.)*)"/.exec(text)
  if (!match) return undefined
  return { name: decode(unquote(match[1] ?? '')), rest: text.slice(match[0].length) }
}

function unquote(inner: string): string {
  return inner.replace(/\\([0-3][0-7]{2}|.)/g, (_, written: string) =>
    written.length === 3 ? String.fromCharCode(Number.parseInt(written, 8)) : (unescapes.get(written) ?? written),
  )
}

function decode(bytes: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(fromBinaryText(bytes))
}

function octal(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`
}
