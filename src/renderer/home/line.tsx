import type { ReactNode } from 'react'

export interface LineProps {
  readonly icon: ReactNode
  readonly text: ReactNode
  readonly action: ReactNode
}

/** One thing said, and what can be done about it, at the end of the line. */
export function Line({ icon, text, action }: LineProps): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2">
      {icon}
      <p className="min-w-0 flex-1 basis-60">{text}</p>
      {action}
    </div>
  )
}
