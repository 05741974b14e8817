import { type ReactNode, Suspense } from 'react'
import { strings } from '../state/strings.ts'
import { SettingsScreen } from './lazy.ts'
import { isMac } from './use-keyboard.ts'

export function SettingsRoute({ onBack }: { onBack: () => void }): ReactNode {
  return (
    <Suspense fallback={<p className="p-4 text-muted">{strings.common.loading}</p>}>
      <SettingsScreen mac={isMac} onBack={onBack} />
    </Suspense>
  )
}
