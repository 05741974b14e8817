import type { ReactNode } from 'react'
import { useSetup } from '../state/hooks/use-setup.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'

const labels = strings.setup

/** What a command that waits for approval will find of the project's setup. Nothing before that is known. */
export function EnvironmentLine(): ReactNode {
  const [view] = useSetup()
  if (view === null) return null
  return (
    <p className="text-muted text-xs [overflow-wrap:anywhere]">
      {labels.environment}: <VisibleText text={labels.state(view.state, Date.now())} />
    </p>
  )
}
