/** A part of a line in one colour. `className` is empty for plain text. */
export interface Token {
  readonly text: string
  readonly className: string
}

/** Colours code of one language. */
export interface Highlighter {
  /** Splits code into lines, and each line into tokens. The tokens hold every character except the line breaks. */
  tokenize(code: string): readonly (readonly Token[])[]
}

/** Names the language by a file's name, or by the name on a code fence. */
export type LanguageHint = { readonly path: string } | { readonly language: string }
