import type { ReactNode } from 'react'
export function ChangesScreen(): ReactNode {
  return null
}
