import { useEffect, useRef, useState } from 'react'
import type { AppState } from './app-state.ts'
import { useSession } from './hooks.tsx'

const between = 250

/**
 * The state as it was a quarter of a second ago at most: for lists of hundreds of agents, of which some change at every
 * frame. The first change after a while is seen at once.
 */
export function useAppSlowly<Value>(selector: (state: AppState) => Value): Value {
  const { store } = useSession()
  const [value, setValue] = useState(() => selector(store.getState()))
  const latest = useRef(selector)
  useEffect(() => {
    latest.current = selector
  })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let looked = 0
    const look = (): void => {
      timer = undefined
      looked = performance.now()
      setValue(() => latest.current(store.getState()))
    }
    const changed = (): void => {
      timer ??= setTimeout(look, Math.max(0, looked + between - performance.now()))
    }
    changed()
    const unsubscribe = store.subscribe(changed)
    return () => {
      unsubscribe()
      clearTimeout(timer)
    }
  }, [store])
  return value
}
