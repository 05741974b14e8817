import { resolve } from 'node:path'
import type { Settings } from '#adapters/settings/settings-schema.ts'
import { realOf } from '#adapters/shell/credential-places.ts'
import type { SetupDefinition } from '#shared/model/setup.ts'

/** What the settings say about the setup of one project. */
export interface ProjectSetupSetting {
  /** Null proposes none for the project, for ever. */
  readonly setup?: string | null | undefined
  readonly inputs?: readonly string[] | undefined
  readonly hosts?: readonly string[] | undefined
  /** A command that runs once a branch is put away. Null wants none. */
  readonly archive?: string | null | undefined
  /** Variables of all commands. */
  readonly variables?: Readonly<Record<string, string>> | undefined
}

export interface SetupSettings {
  /** For projects that have no setting of their own. */
  readonly general: ProjectSetupSetting
  readonly byFolder: Readonly<Record<string, ProjectSetupSetting>>
  readonly timeoutMs: number
}

export type SetupOrigin = 'settings' | 'project' | 'command_line'

/** The setup of a project: what is set, who set it, and what still waits for the person. */
export interface SetupChoice {
  /** Null when none is set. It has only the hosts that the person granted. */
  readonly definition: SetupDefinition | null
  readonly origin: SetupOrigin | null
  /** Hosts that the project proposes for its setup and the person did not accept. */
  readonly proposedHosts: readonly string[]
  /** True when the person wants no setup for this project. */
  readonly never: boolean
}

const defaultMinutes = 20

export function setupSettings({ environment = {} }: Settings): SetupSettings {
  const { setup, inputs = [], hosts = [], projects, timeout_minutes: minutes = defaultMinutes } = environment
  return {
    general: { setup, inputs, hosts },
    byFolder: (projects ?? {}) as SetupSettings['byFolder'],
    timeoutMs: minutes * 60_000,
  }
}

/** Chooses the setup of the project in a folder. `project` are the settings of a trusted project. */
export function chooseSetup(
  settings: SetupSettings,
  project: Settings['environment'],
  rootFolder: string,
): SetupChoice {
  const own = ownSetup(settings, rootFolder)
  if (own.setup === null) return { definition: null, origin: null, proposedHosts: [], never: true }
  const set = [own, settings.general].find(({ setup }) => typeof setup === 'string')
  if (set?.setup) return { ...withDefaults(set.setup, set.inputs, set.hosts), origin: 'settings' }
  if (project?.setup === undefined) return { definition: null, origin: null, proposedHosts: [], never: false }
  const granted = own.hosts ?? []
  const proposedHosts = (project.hosts ?? []).filter((host) => !granted.includes(host))
  return { ...withDefaults(project.setup, own.inputs ?? project.inputs, granted), origin: 'project', proposedHosts }
}

function withDefaults(command: string, inputs: readonly string[] = [], hosts: readonly string[] = []) {
  return { definition: { command, inputs, hosts }, proposedHosts: [], never: false } as const
}

/** What a person decided about one project. */
export function ownSetup({ byFolder }: SetupSettings, rootFolder: string | null): ProjectSetupSetting {
  return rootFolder === null ? {} : (byFolder[folderIn(byFolder, rootFolder)] ?? {})
}

/** The key that stands for a folder. It may be a link to the folder. */
export function folderIn(byFolder: Readonly<Record<string, unknown>>, rootFolder: string): string {
  return Object.keys(byFolder).find((one) => isFolder(one, rootFolder)) ?? rootFolder
}

export function isFolder(path: string, realFolder: string): boolean {
  return resolve(path) === realFolder || realOf(resolve(path)) === realFolder
}
