/** A part of a line in one colour; `ink` is the name of a class, empty where the text is plain. */
export interface CodePiece {
  readonly text: string
  readonly ink: string
}

/** Reads code of one language. */
export interface Syntax {
  /** The lines of the code in their colours. */
  linesOf(code: string): readonly (readonly CodePiece[])[]
}

/** What tells the language: the name of the file, or what a code fence says. */
export type SyntaxHint = { readonly path: string } | { readonly language: string }
