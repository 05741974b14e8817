import type { ReactNode } from 'react'
import type { KnownAgent } from '#shared/contract/views/extensions.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useApp, useClient } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { externalAgentStrings } from '../../strings/later/extensions.ts'
import { strings } from '../../strings/strings.ts'
import { AgentRow } from './agent-row.tsx'
import { RegistryFile } from './registry-file.tsx'

const labels = externalAgentStrings

/** The external agents that Coppice knows: what each would have beside its branch, and whether it works here. */
export function ExternalAgents({ onAdded }: { readonly onAdded: () => void }): ReactNode {
  const client = useClient()
  const projectInfo = useApp((state) => state.projectInfo)
  const [known, reload] = useQuery('extensions.knownAgents', projectInfo && { projectId: projectInfo.id })
  const added = (): void => {
    reload()
    onAdded()
  }
  if (!projectInfo) return null
  if (known.state === 'failed') return <RefusalNotice refusal={known.refusal} onRetry={reload} />
  return (
    <section aria-label={labels.title} className="flex flex-col gap-2">
      <h3 className="font-semibold">{labels.title}</h3>
      <p className="text-muted">{labels.about}</p>
      {known.value ? (
        <ul className="divide-y divide-line rounded-lg border border-line bg-raised">
          {[...known.value].sort(installedFirst).map((agent) => (
            <AgentRow
              key={agent.name}
              agent={agent}
              projectId={projectInfo.id}
              onAdd={() => client.extensions.addKnownAgent({ name: agent.name })}
              onAdded={added}
            />
          ))}
        </ul>
      ) : (
        <p className="text-muted">{strings.common.loading}</p>
      )}
      <RegistryFile projectId={projectInfo.id} onAdded={added} />
    </section>
  )
}

function installedFirst(one: KnownAgent, other: KnownAgent): number {
  const rank = ({ program, isDefined }: KnownAgent) => (isDefined ? 0 : program === null ? 2 : 1)
  return rank(one) - rank(other)
}
