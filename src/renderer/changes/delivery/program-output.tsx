import type { ReactNode } from 'react'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { reachable } from '../../ui/react/elements.tsx'

interface OutputProps {
  /** The accessible name. */
  readonly label: string
  readonly output: string
}

/** What a program printed. Nothing for no output. */
export function ProgramOutput({ label, output }: OutputProps): ReactNode {
  if (output.trim() === '') return null
  return (
    <section
      aria-label={label}
      {...reachable}
      className="max-h-[24vh] overflow-auto rounded-md border border-line bg-panel p-2 text-xs"
    >
      <pre className="whitespace-pre-wrap [overflow-wrap:anywhere]">
        <VisibleText text={output.trimEnd()} />
      </pre>
    </section>
  )
}
