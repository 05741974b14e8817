import type { SettingsView } from '#shared/contract/views.ts'
import type { Client } from '../state/connection/connection.ts'
import type { Command } from '../state/hooks/hooks.tsx'

export type SettingsUpdate = Parameters<Client['settings']['update']>[0]

/** What every section of the settings file is given: the settings as saved, and how to change one. */
export interface SectionProps {
  readonly settings: SettingsView
  readonly command: Command
  /** True once the change is saved. */
  readonly change: (update: SettingsUpdate) => Promise<boolean>
  readonly reload: () => void
}
