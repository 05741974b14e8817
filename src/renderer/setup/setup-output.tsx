import type { ReactNode } from 'react'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useProjectId } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { reachable } from '../ui/react/elements.tsx'

const labels = strings.setup

/** Everything that the last run printed. `version` changes when there may be more of it. */
export function SetupOutput({ version }: { readonly version: string }): ReactNode {
  const projectId = useProjectId()
  const [output, reload] = useQuery('setup.output', { projectId }, version)
  if (output.state === 'failed') return <RefusalNotice refusal={output.refusal} onRetry={reload} />
  return (
    <section aria-label={labels.output}>
      <pre
        {...reachable}
        className="max-h-72 overflow-auto whitespace-pre-wrap rounded-md border border-line bg-panel px-2 py-1 font-mono text-xs [overflow-wrap:anywhere]"
      >
        <VisibleText text={output.value?.text || labels.noOutput} />
      </pre>
    </section>
  )
}
