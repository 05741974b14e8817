import { Shield, ShieldAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useApp } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'

/** Whether commands are kept from the rest of the machine, and why. */
export function SandboxState(): ReactNode {
  const sandbox = useApp((state) => state.info?.sandbox)
  if (!sandbox) return null
  const Icon = sandbox.state === 'on' ? Shield : ShieldAlert
  return (
    <div className="flex items-start gap-2">
      <Icon size={16} aria-hidden className={`mt-0.5 shrink-0 ${sandbox.state === 'on' ? 'text-good' : 'text-warn'}`} />
      <div>
        <p className="font-medium">{strings.shell.sandbox[sandbox.state]}</p>
        <p className="text-muted">{sandbox.reason}</p>
      </div>
    </div>
  )
}
