import type { ReactNode } from 'react'
import { Separator } from 'react-resizable-panels'

interface DividerProps {
  readonly label: string
  /** The direction of the line; the regions lie on both sides of it. */
  readonly orientation?: 'vertical' | 'horizontal'
}

/** The border between two regions, which a person drags or moves by arrow keys. */
export function Divider({ label, orientation = 'vertical' }: DividerProps): ReactNode {
  const size = orientation === 'vertical' ? 'w-px' : 'h-px'
  return (
    <Separator
      aria-label={label}
      className={`${size} bg-line outline-none focus-visible:bg-accent data-[separator=active]:bg-accent data-[separator=hover]:bg-accent`}
    />
  )
}
