import { useEffect, useState } from 'react'
import type { Highlighter, LanguageHint } from './token.ts'

/** Loads the highlighter of a language on first use. Null until it is loaded, and for an unknown language. */
export function useHighlighter(hint: LanguageHint | null): Highlighter | null {
  const key = JSON.stringify(hint)
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly highlighter: Highlighter | null } | null>(null)
  useEffect(() => {
    let wanted = true
    // Code stays plain when its language cannot be fetched.
    void loadByKey(key).then(
      (highlighter) => wanted && setLoaded({ key, highlighter }),
      () => undefined,
    )
    return () => {
      wanted = false
    }
  }, [key])
  return loaded?.key === key ? loaded.highlighter : null
}

/** Loads a language before code in it is shown. Code stays plain when it cannot be fetched. */
export function fetchHighlighter(hint: LanguageHint): void {
  void loadByKey(JSON.stringify(hint)).catch(() => undefined)
}

async function loadByKey(key: string): Promise<Highlighter | null> {
  const hint: LanguageHint | null = JSON.parse(key)
  return hint && (await import('./load-highlighter.ts')).loadHighlighter(hint)
}
