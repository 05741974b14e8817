import { useEffect, useMemo, useState } from 'react'
import type { Highlighter, LanguageHint } from './token.ts'

type Loader = typeof import('./load-highlighter.ts')

/** The module with all languages, once it is there. */
let loader: Loader | null = null

/**
 * Loads the highlighter of a language on first use. Null until it is loaded, and for an unknown language. One that was
 * loaded before is there at once, so that code is not drawn twice.
 */
export function useHighlighter(hint: LanguageHint | null): Highlighter | null {
  const key = JSON.stringify(hint)
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly highlighter: Highlighter | null } | null>(null)
  const known = useMemo(() => knownByKey(key), [key])
  useEffect(() => {
    if (known !== undefined) return
    let wanted = true
    // Code stays plain when its language cannot be fetched.
    void loadByKey(key).then(
      (highlighter) => wanted && setLoaded({ key, highlighter }),
      () => undefined,
    )
    return () => {
      wanted = false
    }
  }, [key, known])
  if (known !== undefined) return known
  return loaded?.key === key ? loaded.highlighter : null
}

/** Loads a language before code in it is shown. Code stays plain when it cannot be fetched. */
export function fetchHighlighter(hint: LanguageHint): void {
  void loadByKey(JSON.stringify(hint)).catch(() => undefined)
}

function knownByKey(key: string): Highlighter | null | undefined {
  const hint: LanguageHint | null = JSON.parse(key)
  return hint && loader?.knownHighlighter(hint)
}

async function loadByKey(key: string): Promise<Highlighter | null> {
  const hint: LanguageHint | null = JSON.parse(key)
  if (hint === null) return null
  loader = await import('./load-highlighter.ts')
  return loader.loadHighlighter(hint)
}
