import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  folderVariable,
  homeVariable,
  type MountPlace,
  type MountView,
  type OtherView,
  placeVariable,
} from '#core/ports/branch-mounts.ts'
import type { LocalReach, SandboxState, ShellGrants, Talk } from '#core/ports/shell.ts'
import type { findCommandUser } from '../system/command-user.ts'
import type { KernelPlaces } from './bubblewrap/kernel-places.ts'
import type { Logins } from './host-proxy.ts'
import type { HeldNetwork } from './processes/branch-network.ts'
import { type ReadablePlaces, readablePlaces } from './readable-places.ts'
import { type Registries, readRegistries } from './registries/read-registries.ts'

export type ConfinedMount = Pick<
  MountView,
  'folder' | 'home' | 'temporary' | 'places' | 'others' | 'folders' | 'readable'
>

/** A command line that can reach only its mount, and what it was kept from. */
export interface Confined extends Disposable {
  readonly program: readonly string[]
  /** False when nothing confines it. */
  readonly isConfined: boolean
  readonly environment: Readonly<Record<string, string>>
  /** The variables that start the command line, of which it makes those of the command. Absent when they are the same. */
  readonly carryVariables?: (variables: Readonly<Record<string, string>>) => Readonly<Record<string, string>>
  /** Where the command finds the files that it was given; null for none. */
  readonly given: string | null
  /** A file that the command line needs open under this descriptor. */
  readonly filter: { readonly descriptor: number; readonly file: string } | null
  refusedHosts(): readonly string[]
  /** What it was to reach on this machine and did not, each with the reason. Absent for none. */
  readonly missed?: () => readonly string[]
}

export interface ConfineRequest {
  readonly mount: ConfinedMount
  readonly rootFolder: string | null
  /** Hosts that a person granted to the command. */
  readonly hosts: readonly string[]
  /** What else a person granted to it. Absent for nothing. */
  readonly grants?: ShellGrants
  /** What of the machine every command of the project reaches. Absent for nothing. */
  readonly reach?: LocalReach
  /** Hears of each talk with the app that the program begins. Absent where it may begin none. */
  readonly onTalk?: (talk: Talk) => void
  /** Logins of the person for registries. Absent for none. */
  readonly logins?: Logins | undefined
  /** A folder of files for this command alone; null for none. */
  readonly given: string | null
  /** For a command that runs in a network that `holdNetwork` made. Null or absent for another one. */
  readonly network?: Pick<HeldNetwork, 'leadTo'> | null
  /** True for a command that stays, with a pipe for orders. */
  readonly stays?: boolean
  /** What its processes may take together. */
  readonly memoryBytes: number
}

export interface Sandbox extends AsyncDisposable {
  readonly state: SandboxState
  /** Entries of PATH that commands do not have, each with the reason. */
  readonly skipped: readonly string[]
  /** The person's registries for a command with these hosts, among its settings the certificates that it must trust. */
  findRegistries(hosts: readonly string[]): Promise<Registries>
  confine(program: readonly string[], request: ConfineRequest): Promise<Confined>
  /** A network for several commands. Null when the system cannot cut networks off. Throws `ShellError`. */
  holdNetwork(): Promise<HeldNetwork | null>
}

export interface SandboxOptions {
  readonly home?: string
  readonly path?: string
  /** The user's variables, which say where their tool chains are. */
  readonly environment?: NodeJS.ProcessEnv
  readonly findUser?: typeof findCommandUser
  readonly findKernelPlaces?: () => KernelPlaces
  /** Path of bubblewrap. The one of this system when absent. */
  readonly bubblewrap?: string
}

/** Runs commands unconfined. Each of them asks. */
export function noSandbox(reason: string, options: Pick<SandboxOptions, 'home' | 'environment'> = {}): Sandbox {
  const { home = homedir(), environment = process.env } = options
  const places = readablePlaces({ hidden: [], home, path: '', environment })
  return {
    state: { state: 'off', reason },
    skipped: [],
    findRegistries: async () => readRegistries({ home, environment }),
    confine: async (program, { mount, given }) => runUnconfined(program, places, { mount, given }),
    holdNetwork: async () => null,
    [Symbol.asyncDispose]: async () => undefined,
  }
}

/**
 * The variables that tools need, and the ones by which programs reach granted hosts. Java reads a user's home from the
 * system and not from the variable, so Maven must be told.
 */
export function toolVariables(
  places: ReadablePlaces,
  home: string,
  proxies: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const own = Object.entries(places.written).map(([variable, below]) => [variable, join(home, below)] as const)
  const maven = [places.usesMaven ? `-Duser.home=${home}` : '', proxies.MAVEN_OPTS ?? ''].filter((text) => text !== '')
  return {
    ...proxies,
    ...places.variables,
    ...Object.fromEntries(own),
    ...(maven.length > 0 && { MAVEN_OPTS: maven.join(' ') }),
  }
}

export function runUnconfined(
  program: readonly string[],
  tools: ReadablePlaces,
  { mount, given }: Pick<ConfineRequest, 'mount' | 'given'>,
): Confined {
  const environment = {
    ...toolVariables(tools, mount.home),
    ...placeVariables([...mount.places, ...(mount.folders ?? [])], ({ folder }) => folder),
    ...otherVariables(mount, ({ folder, home }) => ({ folder, home })),
  }
  return {
    ...{ program, isConfined: false, environment, given, filter: null, refusedHosts: () => [] },
    [Symbol.dispose]: () => undefined,
  }
}

/** The person's folders that commands find only as views. */
export function realFolders(
  rootFolder: string | null,
  { others = [] }: Pick<ConfinedMount, 'others'>,
): readonly string[] {
  return [rootFolder, ...others.map(({ real }) => real)].filter((one) => one !== null)
}

/** The folders that a command sees as views, under each path at which it finds them. */
export function viewsOf(rootFolder: string | null, mount: ConfinedMount): readonly string[] {
  const { folder, home, others = [] } = mount
  return [...realFolders(rootFolder, mount), folder, home, ...others.flatMap((one) => [one.folder, one.home])]
}

/** Variables that name the views of the project's other folders, with the paths at which a command finds them. */
export function otherVariables(
  { others = [] }: Pick<ConfinedMount, 'others'>,
  find: (one: OtherView) => Pick<OtherView, 'folder' | 'home'>,
) {
  return Object.fromEntries(
    others.flatMap((one) => {
      const { folder, home } = find(one)
      return [
        [folderVariable(one.name), folder],
        [homeVariable(one.name), home],
      ]
    }),
  )
}

/** Variables that name the places beside the project, with the paths at which a command finds them. */
export function placeVariables<Place extends Pick<MountPlace, 'name'>>(
  places: readonly Place[],
  pathOf: (place: Place) => string,
) {
  return Object.fromEntries(places.map((place) => [placeVariable(place.name), pathOf(place)]))
}
