import type { EntryBody } from '../entry.ts'
import type { Message } from '../message.ts'

/** Where a search looks. */
export type SearchedPlace = 'messages' | 'memories'

interface SearchedText {
  readonly place: SearchedPlace
  readonly text: string
}

/** The searchable text of an entry: what was said, or a version of a memory with its name. Null for other entries. */
export function searchedText(entry: EntryBody): SearchedText | null {
  if (entry.type === 'memory.written') return { place: 'memories', text: `${entry.name}\n${entry.text}` }
  if (entry.type !== 'message') return null
  const text = spokenText(entry.message)
  return text === '' ? null : { place: 'messages', text }
}

/** What people and agents said. Notices of the app have no author and are left out. */
export function spokenText(message: Message): string {
  if (message.role === 'user' && message.origin === 'notice') return ''
  return message.content.flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : [])).join('\n')
}

/** Runs of letters and digits, without case and accents, so that two spellings of a word match. Long words are cut. */
export function wordsOf(text: string): readonly string[] {
  return plain(withShortWords(text)).match(wordPattern) ?? []
}

/** Cuts words to 40 letters. Nobody searches for the end of a longer one, and pasted data would fill an index. */
export function withShortWords(text: string): string {
  const composed = text.normalize('NFC')
  return longRun.test(composed) ? composed.replace(longWord, '$1') : composed
}

/** Every long word is in such a run, and looking for it takes a fraction of the time. */
const longRun = /(?:^|\s)\S{41}/

const longWord = /([\p{L}\p{N}\p{M}\p{Co}]{40})[\p{L}\p{N}\p{M}\p{Co}]+/gu

/** True when a word of the text begins with each of the searched ones. Both are what `wordsOf` returns. */
export function haveWords(said: readonly string[], searched: readonly string[]): boolean {
  return searched.every((one) => said.some((word) => beginsAWord(one, word)))
}

/** True when `word` begins with `searched`. A single letter must be the whole word. */
export function beginsAWord(searched: string, word: string): boolean {
  return searched.length > 1 ? word.startsWith(searched) : word === searched
}

const wordPattern = /[\p{L}\p{N}\p{Co}]+/gu

function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
}

/** A piece of a text around a match, with the matching words marked. */
export type Snippet = readonly { readonly text: string; readonly found: boolean }[]

const before = 40
const shown = 160

/** The text around the first match; the beginning of the text when no word matches. */
export function snippetOf(text: string, searched: readonly string[]): Snippet {
  const flat = text.replace(/\s+/g, ' ').trim()
  const places = [...flat.matchAll(/[\p{L}\p{N}\p{M}\p{Co}]+/gu)].filter(({ 0: word }) =>
    searched.some((one) => beginsAWord(one, plain(word))),
  )
  const from = startOfWord(flat, Math.max((places[0]?.index ?? 0) - before, 0))
  const to = Math.min(from + shown, flat.length)
  const parts: { text: string; found: boolean }[] = []
  let at = from
  for (const { 0: word, index } of places) {
    if (index < at || index + word.length > to) continue
    parts.push({ text: flat.slice(at, index), found: false }, { text: word, found: true })
    at = index + word.length
  }
  parts.push({ text: `${flat.slice(at, to)}${to < flat.length ? '…' : ''}`, found: false })
  const opening = from > 0 ? [{ text: '…', found: false }] : []
  return [...opening, ...parts].filter((part) => part.text !== '')
}

function startOfWord(text: string, at: number): number {
  const space = at === 0 ? -1 : text.indexOf(' ', at)
  return space < 0 || space > at + before ? at : space + 1
}
