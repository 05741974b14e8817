import { useEffect, useState } from 'react'

/** True once a component has been there for some milliseconds. */
export function useLate(after: number): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), after)
    return () => clearTimeout(timer)
  }, [after])
  return isLate
}
