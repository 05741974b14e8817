import type { ReactNode } from 'react'
import { useRunWords } from './use-run-words.ts'

/** Says what a setup can reach where the sandbox is not on. Nothing where it is. */
export function RunWarning(): ReactNode {
  const { warning } = useRunWords()
  return warning === '' ? null : <p className="text-warn">{warning}</p>
}
