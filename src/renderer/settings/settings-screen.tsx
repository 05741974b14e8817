import type { ReactNode } from 'react'
export function SettingsScreen(_: { mac: boolean; onBack: () => void }): ReactNode {
  return null
}
