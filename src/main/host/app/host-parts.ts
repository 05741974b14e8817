import type { Sandbox } from '#adapters/shell/sandbox.ts'
import type { Provider } from '../models/provider.ts'
import type { Projects } from '../project/projects.ts'
import type { Registry } from '../project/registry.ts'
import type { SettingsSource } from '../settings/settings-source.ts'
import type { Updates } from '../updates/updates.ts'
import type { HostOptions } from './host-options.ts'

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
