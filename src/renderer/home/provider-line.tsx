import { Cpu, KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { useApp, useUpdateView } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'

const words = strings.home

/** Which model would answer, and whether it can. */
export function ProviderLine(): ReactNode {
  const info = useApp((state) => state.info)
  const updateView = useUpdateView()
  if (!info) return null
  const { provider } = info
  const Icon = provider.keySource ? Cpu : KeyRound
  return (
    <footer className="flex flex-wrap items-center gap-2 border-line border-t pt-4 text-muted">
      <Icon size={15} aria-hidden className={provider.keySource ? 'text-good' : 'text-warn'} />
      <span>
        {words.provider}: <span className="font-medium text-text">{provider.model}</span>
      </span>
      <span>{provider.keySource ? words.keyFrom[provider.keySource] : words.noKey}</span>
      <Button
        tone="quiet"
        onClick={() => updateView((view) => ({ ...view, route: 'settings', settingsSection: 'models' }))}
      >
        {words.setUp}
      </Button>
      <span className="ml-auto text-xs">{words.version(info.version)}</span>
    </footer>
  )
}
