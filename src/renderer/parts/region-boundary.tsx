import type { ReactNode } from 'react'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Notice } from '../ui/controls/notice.tsx'
import { Boundary } from '../ui/react/boundary.tsx'

interface RegionBoundaryProps {
  readonly children: ReactNode
  /** The region is drawn again when this changes. */
  readonly resetKey?: unknown
  /** What the region shows, as text. Shown when it cannot be drawn. */
  readonly text?: string
}

/** Keeps an error of one region or message to it: the rest of the window stays, and the person can try again. */
export function RegionBoundary({ children, resetKey, text }: RegionBoundaryProps): ReactNode {
  return (
    <Boundary
      resetKey={resetKey}
      fallback={(message, retry) => (
        <div className="p-2">
          <Notice
            tone="error"
            title={strings.shell.regionCrashed}
            detail={message}
            actions={<Button onClick={retry}>{strings.common.retry}</Button>}
          />
          {text && <p className="mt-2 whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>}
        </div>
      )}
    >
      {children}
    </Boundary>
  )
}
