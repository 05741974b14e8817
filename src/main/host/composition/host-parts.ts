import type { Sandbox } from '#adapters/shell/sandbox.ts'
import type { SettingsSource } from '../config/settings-source.ts'
import type { Provider } from '../models/provider.ts'
import type { Updates } from '../updates/updates.ts'
import type { HostOptions } from './host-options.ts'
import type { Projects } from './projects.ts'
import type { Registry } from './registry.ts'

/** The parts that command handlers use. */
export interface HostParts {
  readonly options: HostOptions
  readonly settings: SettingsSource
  readonly provider: Provider
  readonly registry: Registry
  readonly projects: Projects
  readonly sandbox: Sandbox
  readonly updates: Updates
}
