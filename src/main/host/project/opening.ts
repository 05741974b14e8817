import type { Logins } from '#adapters/mcp/login/logins.ts'
import type { Sandbox } from '#adapters/shell/sandbox.ts'
import type { OpeningProgress } from '#core/journal/families/open-families.ts'
import type { UserMemoryStore } from '#core/ports/stores/user-memories.ts'
import type { HostOptions } from '../app/host-options.ts'
import type { Door } from '../handover/door.ts'
import type { Provider } from '../models/provider.ts'
import type { SettingsSource } from '../settings/settings-source.ts'
import type { ProjectPlace } from './project-place.ts'

export interface ProjectOptions extends HostOptions {
  /** Where this process takes command lines about its projects. Null for nowhere. */
  readonly door: Door | null
  /** The logins to servers, of all projects. */
  readonly logins: Logins
}

/** What a project is opened with, for all stages. */
export interface Opening {
  readonly options: ProjectOptions
  readonly settings: SettingsSource
  readonly provider: Provider
  readonly place: ProjectPlace
  readonly sandbox: Sandbox
  readonly userMemories: UserMemoryStore
  /** Called while the project's whole history is looked into, which takes long once after some updates. */
  readonly report: (progress: OpeningProgress) => void
  /** Ends the opening, which rejects with the signal's reason. */
  readonly signal: AbortSignal
  /** Takes what the stages open, in their order. */
  readonly cleanup: AsyncDisposableStack
}

/** Variables of the app itself, such as its keys. */
const neverGivenOut = /^(ANTHROPIC_|COPPICE_)/i

interface GivenFrom extends Pick<Opening, 'provider'> {
  readonly options: Pick<ProjectOptions, 'environment'>
}

/** A variable of the environment for servers and programs of the person. Undefined for one that holds a secret of the app. */
export function givenOut({ options, provider }: GivenFrom, name: string): string | undefined {
  return neverGivenOut.test(name) || provider.secretVariables().has(name) ? undefined : options.environment[name]
}

/** The variables that programs of the person get: all but those that hold keys. */
export function givenToPrograms(opening: GivenFrom): Record<string, string> {
  return Object.fromEntries(
    Object.keys(opening.options.environment).flatMap((name) => {
      const value = givenOut(opening, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
