import { useEffect, useState } from 'react'

/** What colours the code; null until it is loaded, and where nothing reads the language. */
export function useSyntax(hint: SyntaxHint | null): Syntax | null {
  const key = JSON.stringify(hint)
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly syntax: Syntax | null } | null>(null)
  useEffect(() => {
    let wanted = true
    // Code stays plain when its language cannot be fetched.
    void syntaxOf(key).then(
      (syntax) => wanted && setLoaded({ key, syntax }),
      () => undefined,
    )
    return () => {
      wanted = false
    }
  }, [key])
  return loaded?.key === key ? loaded.syntax : null
}

async function syntaxOf(key: string): Promise<Syntax | null> {
  const hint: SyntaxHint | null = JSON.parse(key)
  return hint && (await import('./load-highlighter.ts')).loadSyntax(hint)
}

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
