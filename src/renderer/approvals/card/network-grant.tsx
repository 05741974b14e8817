import { Globe } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { reachWarnings } from '#shared/base/reach/local-reach.ts'
import type { ActionRequest } from '#shared/model/calls/interrupt.ts'
import { findHosts, grantableHosts, wasTried } from '#shared/tools/card.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'
import { cardStrings } from '../../strings/later/card.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextInput } from '../../ui/controls/field.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { hostsIn, lastingHostsIn } from '../approval-logic.ts'

const labels = cardStrings

interface NetworkGrantProps {
  readonly request: ActionRequest
  readonly value: string
  readonly invalid: boolean
  readonly onChange: (value: string) => void
}

/**
 * Lets the person name hosts that one command may reach although the sandbox has no network. Agents cannot name them.
 */
export function NetworkGrant({ request, value, invalid, onChange }: NetworkGrantProps): ReactNode {
  const sandboxed = useApp((state) => state.info?.sandbox.state === 'on')
  const [opened, setOpened] = useState(false)
  if (!sandboxed) return null
  const isOpen = opened || value !== ''
  const refused = wasTried(request) ? grantableHosts(request.effects) : []
  const offered = [...new Set([...refused, ...findHosts(request)])].filter((host) => !value.includes(host))
  return (
    <div className="flex flex-wrap items-center gap-2">
      {!isOpen && (
        <Button tone="quiet" icon={<Globe size={13} aria-hidden />} onClick={() => setOpened(true)}>
          {labels.openNetwork}
        </Button>
      )}
      {isOpen && (
        <TextInput
          aria-label={labels.network}
          aria-invalid={invalid}
          placeholder={labels.network}
          title={invalid ? labels.notHosts : labels.networkHint}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className="h-7! min-w-40 flex-1"
        />
      )}
      {offered.map((host) => (
        <Button
          key={host}
          tone="quiet"
          icon={<Globe size={13} aria-hidden />}
          onClick={() => onChange([value, host].filter(Boolean).join(', '))}
        >
          {labels.grantHost(host)}
        </Button>
      ))}
      <AlwaysHosts hosts={lastingHostsIn(value)} />
      {reachWarnings(hostsIn(value) ?? []).map((text) => (
        <p key={text} role="status" className="w-full text-warn text-xs">
          <VisibleText text={text} />
        </p>
      ))}
      {invalid && (
        <p role="alert" className="w-full text-bad text-xs">
          {labels.notHosts}
        </p>
      )}
    </div>
  )
}

/** Grants the hosts to every command of the project. Nothing is shown for none. */
function AlwaysHosts({ hosts }: { readonly hosts: readonly string[] }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const saving = useCommand()
  const [granted, setGranted] = useState<readonly string[]>([])
  if (hosts.length === 0) return null
  if (hosts.every((host) => granted.includes(host)))
    return (
      <p role="status" className="w-full text-muted text-xs">
        {labels.hostsAllowed}
      </p>
    )
  const grant = async (): Promise<void> => {
    const saved = await saving.run(() => client.settings.update({ grantHosts: { projectId, hosts: [...hosts] } }))
    if (saved) setGranted([...granted, ...hosts])
  }
  return (
    <>
      <Button tone="quiet" disabled={saving.busy} onClick={() => void grant()}>
        {labels.alwaysHosts(hosts)}
      </Button>
      {saving.refusal && <RefusalNotice refusal={saving.refusal} />}
    </>
  )
}
