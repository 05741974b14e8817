import { useCallback, useRef } from 'react'

/** The same function for the life of the component. It calls the one of the last render. */
export function useStable<Arguments extends readonly unknown[]>(
  action: (...given: Arguments) => void,
): (...given: Arguments) => void {
  const latest = useRef(action)
  latest.current = action
  return useCallback((...given) => latest.current(...given), [])
}
