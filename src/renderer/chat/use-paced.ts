import { useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Parts of its time that the page keeps for the reader, for one that goes into drawing. */
const rest = 3

/**
 * A text that grows, given on no faster than it can be drawn: what is drawn whole each time costs more the longer it
 * is, and a page that does nothing else no longer hears a click.
 */
export function usePaced(text: string): string {
  const [shown, setShown] = useState(text)
  const latest = useRef(text)
  latest.current = text
  const cost = useDrawingTime(shown)
  const behind = shown !== text
  useEffect(() => {
    if (!behind) return
    const timer = setTimeout(() => setShown(latest.current), cost.current * rest)
    return () => clearTimeout(timer)
  }, [behind, cost])
  return shown
}

/** How long the component and what is in it took when `value` was new, in milliseconds. */
function useDrawingTime(value: string): { readonly current: number } {
  const time = useRef(0)
  const drawn = useRef<string>(undefined)
  const began = performance.now()
  useLayoutEffect(() => {
    if (drawn.current === value) return
    drawn.current = value
    time.current = performance.now() - began
  })
  return time
}
