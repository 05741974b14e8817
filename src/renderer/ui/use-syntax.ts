import { useEffect, useState } from 'react'
import type { Syntax, SyntaxHint } from './syntax.ts'

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
  return hint && (await import('./code-inks.ts')).loadSyntax(hint)
}
