import { type ReactNode, Suspense } from 'react'
import { isMac } from '../state/platform.ts'
import { strings } from '../state/strings.ts'
import { MemoryScreen, SettingsScreen } from './lazy.ts'

export function SettingsRoute({ onBack }: { onBack: () => void }): ReactNode {
  return (
    <Suspense fallback={<p className="p-4 text-muted">{strings.common.loading}</p>}>
      <SettingsScreen mac={isMac} onBack={onBack} slots={{ memory: <MemoryScreen /> }} />
    </Suspense>
  )
}
