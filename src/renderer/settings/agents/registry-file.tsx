import { Upload } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import type { RegistryView } from '#shared/contract/views/extensions.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useClient, useCommand } from '../../state/hooks/hooks.tsx'
import { externalAgentStrings } from '../../strings/later/extensions.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { AgentRow } from './agent-row.tsx'

const labels = externalAgentStrings.registry

interface RegistryFileProps {
  readonly projectId: ProjectId
  readonly onAdded: () => void
}

/** Agents of a file in the format of the public registry. Each is added by itself. */
export function RegistryFile({ projectId, onAdded }: RegistryFileProps): ReactNode {
  const client = useClient()
  const reading = useCommand()
  const input = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<(RegistryView & { readonly text: string }) | null>(null)

  async function read(text: string): Promise<void> {
    await reading.run(async () => setChosen({ text, ...(await client.extensions.readRegistry({ projectId, text })) }))
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          tone="quiet"
          icon={<Upload size={14} aria-hidden />}
          title={labels.about}
          disabled={reading.busy}
          onClick={() => input.current?.click()}
        >
          {labels.choose}
        </Button>
        <input
          ref={input}
          type="file"
          aria-label={labels.choose}
          accept=".json,application/json"
          className="hidden"
          onChange={({ target }) => {
            void target.files?.[0]?.text().then(read)
            target.value = ''
          }}
        />
      </div>
      {reading.refusal && <RefusalNotice refusal={reading.refusal} />}
      {chosen?.agents.length === 0 && <p className="text-muted">{labels.none}</p>}
      {chosen && chosen.agents.length > 0 && (
        <ul
          aria-label={labels.found}
          className="max-h-96 divide-y divide-line overflow-auto rounded-lg border border-line bg-raised"
        >
          {chosen.agents.map((agent) => (
            <AgentRow
              key={agent.name}
              agent={agent}
              projectId={projectId}
              onAdd={() => client.extensions.addRegistryAgent({ name: agent.name, text: chosen.text })}
              onAdded={() => {
                onAdded()
                void read(chosen.text)
              }}
            />
          ))}
        </ul>
      )}
      {chosen?.problems.map((problem) => (
        <p key={problem} className="text-warn text-xs">
          <VisibleText text={problem} />
        </p>
      ))}
    </>
  )
}
