import { useEffect, useState } from 'react'
import { armingDelay } from '#shared/tools/card.ts'

/** False for `armingDelay` milliseconds after `id` appeared, then true. */
export function useArmed(id: string): boolean {
  const [armed, setArmed] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setArmed(id), armingDelay)
    return () => clearTimeout(timer)
  }, [id])
  return armed === id
}
