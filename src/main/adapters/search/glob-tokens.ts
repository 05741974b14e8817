/** What stands at one place of a glob, and how many of its characters that is. */
export type GlobToken =
  /** Exactly one character of a name: the very one, or one that the text allows. */
  | { readonly kind: 'character'; readonly length: number; readonly character: string }
  | { readonly kind: 'oneOf'; readonly length: number; readonly text: string }
  /** Any number of characters: of one name, of the whole path, or of whole folders. */
  | { readonly kind: 'many' | 'all' | 'folders'; readonly length: number }
  | { readonly kind: 'alternatives'; readonly length: number; readonly texts: readonly string[] }

/** The first token of a text that is not empty. `**` crosses folders only where it begins one. */
export function firstToken(text: string, beginsFolder: boolean): GlobToken {
  const stars = /^\*+/.exec(text)?.[0].length ?? 0
  if (stars === 2 && beginsFolder && text[2] === '/') return { kind: 'folders', length: 3 }
  if (stars === 2 && beginsFolder && text.length === 2) return { kind: 'all', length: 2 }
  if (stars > 0) return { kind: 'many', length: stars }
  const one = /^(?:\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]])*\]|\{.\.\..\}|\?)/s.exec(text)?.[0]
  if (one !== undefined) return { kind: 'oneOf', length: one.length, text: one }
  if (text.startsWith('{')) return bracesAt(text) ?? { kind: 'character', length: 1, character: '{' }
  if (text.startsWith('\\') && text.length > 1) return { kind: 'character', length: 2, character: text[1] ?? '' }
  return { kind: 'character', length: 1, character: text[0] ?? '' }
}

/** Nothing when the braces hold no comma: they stand for themselves then. */
function bracesAt(text: string): GlobToken | undefined {
  const texts: string[] = []
  let depth = 0
  let start = 1
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '\\') at += 1
    else if (character === '{') depth += 1
    else if (character === '}') depth -= 1
    if ((character === ',' && depth === 1) || depth === 0) {
      texts.push(text.slice(start, at))
      start = at + 1
    }
    if (depth === 0) return texts.length > 1 ? { kind: 'alternatives', length: at + 1, texts } : undefined
  }
  return undefined
}
