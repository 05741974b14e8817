import type { SettingsView } from '#shared/contract/views/settings.ts'
import type { Client } from '../state/connection/connection.ts'
import type { Command } from '../state/hooks/hooks.tsx'

export type SettingsUpdate = Parameters<Client['settings']['update']>[0]

/** The props of every section of the settings file: the settings as saved, and how to change one. */
export interface SectionProps {
  readonly settings: SettingsView
  readonly command: Command
  /** Resolves with true once the change is saved. */
  readonly change: (update: SettingsUpdate) => Promise<boolean>
  readonly reload: () => void
}
