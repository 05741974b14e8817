import { Cpu, KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { useApp, useUpdateView } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { Line } from './line.tsx'

const labels = strings.home

/** Which model would answer, and whether it can. */
export function ProviderLine(): ReactNode {
  const info = useApp((state) => state.info)
  const updateView = useUpdateView()
  if (!info) return null
  const { provider } = info
  const Icon = provider.keySource ? Cpu : KeyRound
  return (
    <Line
      icon={<Icon size={15} aria-hidden className={provider.keySource ? 'text-good' : 'text-warn'} />}
      text={
        <>
          <span className="font-medium">{provider.model}</span>{' '}
          <span className="text-muted">{provider.keySource ? labels.keyFrom[provider.keySource] : labels.noKey}</span>
        </>
      }
      action={
        <Button onClick={() => updateView((view) => ({ ...view, route: 'settings', settingsSection: 'models' }))}>
          {provider.keySource ? labels.changeModel : labels.addKey}
        </Button>
      }
    />
  )
}
