/** Something that a message names with `@`, besides a file. */
export interface Mention {
  readonly kind: 'folder' | 'branch' | 'agent' | 'memory' | 'diff' | 'resource'
  /** Without its prefix. Empty for the diff; the server, a colon and the address for a resource. */
  readonly name: string
}

/** How each kind is written after the `@`. A word ending in a slash is a folder, and any other word may be a handle. */
export const mentionPrefixes = { branch: 'branch:', agent: 'agent:', memory: 'memories/' } as const

export const diffMention = 'diff'

/**
 * What a message names, in its order, without repeats. Punctuation after a name does not belong to it. Files are left
 * out.
 */
export function mentionsIn(text: string): readonly Mention[] {
  return wordsIn(text).flatMap((word) => mentionOf(word) ?? [])
}

/** The words after an `@` that may be files, likewise. Only their tree knows which ones are. */
export function filesNamedIn(text: string): readonly string[] {
  return wordsIn(text).filter((word) => word !== '' && mentionOf(word) === null)
}

function wordsIn(text: string): readonly string[] {
  const words = [...text.matchAll(/(?:^|[\s([{"'])@([^\s@]+)/g)].map(([, word = '']) => withoutPunctuation(word))
  return [...new Set(words)]
}

/** A name without the punctuation after it. An expression for it would look at each sign once for each before it. */
export function withoutPunctuation(word: string): string {
  let end = word.length
  while (end > 0 && ')]}"\',.;:!?'.includes(word.charAt(end - 1))) end -= 1
  return word.slice(0, end)
}

function mentionOf(word: string): Mention | null {
  if (word === diffMention) return { kind: 'diff', name: '' }
  for (const kind of ['branch', 'agent', 'memory'] as const) {
    const prefix = mentionPrefixes[kind]
    if (word.startsWith(prefix) && word.length > prefix.length) return { kind, name: word.slice(prefix.length) }
  }
  if (/^[^:/\s]+:[a-z][a-z0-9+.-]*:\S/i.test(word)) return { kind: 'resource', name: word }
  if (word.endsWith('/')) return { kind: 'folder', name: word }
  return /^subagent_\w+$/.test(word) ? { kind: 'branch', name: word } : null
}
