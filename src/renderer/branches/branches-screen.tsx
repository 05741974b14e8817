import type { ReactNode } from 'react'
export function BranchesScreen(): ReactNode {
  return null
}
