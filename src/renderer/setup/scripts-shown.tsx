import type { ReactNode } from 'react'
import type { SetupView } from '#shared/contract/views/setup.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'

const labels = strings.setup

/** What a project keeps for other tools beside a setup, word for word, and what of it has no meaning here. */
export function ScriptsShown({ scripts }: Pick<SetupView, 'scripts'>): ReactNode {
  const { archive, variables, leftOut } = scripts
  const sets = Object.entries(variables)
  return (
    <>
      {archive !== null && (
        <p className="text-muted [overflow-wrap:anywhere]">
          {labels.archiveShown}{' '}
          <code className="whitespace-pre-wrap text-text">
            <VisibleText text={archive.command} />
          </code>{' '}
          <VisibleText text={labels.from(archive.source)} />
        </p>
      )}
      {sets.length > 0 && (
        <p className="text-muted [overflow-wrap:anywhere]">
          {labels.variablesShown}{' '}
          <code className="text-text">
            <VisibleText text={sets.map(([name, value]) => `${name}=${value}`).join(', ')} />
          </code>
        </p>
      )}
      {leftOut.length > 0 && (
        <p className="text-muted text-xs [overflow-wrap:anywhere]">
          <VisibleText text={labels.leftOut(leftOut)} />
        </p>
      )}
    </>
  )
}
