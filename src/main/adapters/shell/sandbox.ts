import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SandboxState } from '#core/ports/shell.ts'
import { findCommandUser } from '../system/command-user.ts'
import { makeTemporary, removeMade } from '../system/made-folders.ts'
import { systemProgram } from '../system/system-programs.ts'
import {
  type ConfinedMount,
  givenPlace,
  homePlace,
  inBubblewrap,
  placeVariables,
  proxyPlace,
  variablesInside,
} from './bubblewrap.ts'
import { keepProxies, type Logins, openProxyPass, proxyPort, trustFor } from './host-proxy.ts'
import { type KernelPlaces, kernelPlaces } from './kernel-places.ts'
import { type HeldNetwork, holdNetwork } from './processes/branch-network.ts'
import { maskedCredentials, placesAround, type ReadablePlaces, readablePlaces } from './readable-places.ts'
import { certificatesName, type Registries, readRegistries } from './registries/read-registries.ts'
import { probeSandbox, reachesMachine } from './sandbox-probe.ts'
import { seccompFilter } from './seccomp-filter.ts'

const run = promisify(execFile)

/** A command line that can reach only its mount, and what it was kept from. */
export interface Confined extends Disposable {
  readonly program: readonly string[]
  /** False when nothing confines it. */
  readonly isConfined: boolean
  readonly environment: Readonly<Record<string, string>>
  /** Where the command finds the files that it was given; null for none. */
  readonly given: string | null
  /** A file that the command line needs open under this descriptor. */
  readonly filter: { readonly descriptor: number; readonly file: string } | null
  refusedHosts(): readonly string[]
}

export interface ConfineRequest {
  readonly mount: ConfinedMount
  readonly rootFolder: string | null
  /** Hosts that a person granted to the command. */
  readonly hosts: readonly string[]
  /** Logins of the person for registries. Absent for none. */
  readonly logins?: Logins
  /** A folder of files for this command alone; null for none. */
  readonly given: string | null
  /** True for a command that runs in a network that `holdNetwork` made. The proxy is reached there already. */
  readonly sharesNetwork?: boolean
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
}

const filterDescriptor = 3

/** Finds out which confinement works by trying it. `hidden`: the app's own folders, which no command may read. */
export async function openSandbox(hidden: readonly string[], options: SandboxOptions = {}): Promise<Sandbox> {
  const { home = homedir(), environment = process.env, path = environment.PATH ?? '' } = options
  const { findUser = findCommandUser, findKernelPlaces = kernelPlaces } = options
  const folder = makeTemporary('sandbox')
  const places = readablePlaces({ hidden: [...hidden, folder], home, path, environment })
  const seccomp = seccompFilter()
  const filterFile = join(folder, 'seccomp')
  if (seccomp) await writeFile(filterFile, seccomp)
  const filter = seccomp && { descriptor: filterDescriptor, file: filterFile }
  const user = await findUser()
  const known = { user, places, filterDescriptor: filter ? filterDescriptor : null }
  const [{ state, withoutNetwork, ownProcesses }, hasSocat] = await Promise.all([
    probeSandbox({ ...known, folder, filterFile, kernel: findKernelPlaces(), masked: maskedCredentials(places) }),
    works(['socat', '-V']),
  ])
  const proxies = keepProxies()
  /** Whether shared networks keep commands from the machine. Tried with the first one. */
  let keepsApart: Promise<boolean> | undefined
  const canGrant = state.state === 'on' && hasSocat
  return {
    state: canGrant || state.state !== 'on' ? state : { ...state, reason: `${state.reason} ${noSocat}` },
    skipped: places.skipped,
    async findRegistries(hosts) {
      const registries = await readRegistries({ home, environment })
      if (!canGrant || hosts.length === 0) return registries
      const trust = await trustFor(hosts, user, registries)
      return { ...registries, settings: { ...registries.settings, ...(trust && { [certificatesName]: trust }) } }
    },
    async confine(program, { mount, rootFolder, hosts, logins, given, sharesNetwork = false, memoryBytes }) {
      if (state.state === 'off') return withoutSandbox(program, places, { mount, given })
      const pass = canGrant ? await openProxyPass(hosts, user, logins).catch(offUnlessGranted(hosts)) : null
      const { around, waysIn } = placesAround(rootFolder, places)
      const masked = maskedCredentials(around)
      const inside = {
        ...{ ...known, places: around, rootFolder, given, memoryBytes, ownProcesses },
        withoutNetwork: withoutNetwork && !sharesNetwork,
        ...{ kernel: findKernelPlaces(), proxySocket: sharesNetwork ? null : (pass?.socket ?? null) },
        masked: { ...masked, folders: [...masked.folders, ...waysIn] },
      }
      const inner =
        pass && !sharesNetwork ? [systemProgram('bash'), '--norc', '-c', withProxy, 'bash', ...program] : program
      return {
        program: inBubblewrap(inner, mount, inside),
        isConfined: true,
        given: given && givenPlace,
        environment: { ...pass?.environment, ...toolVariables(places, homePlace), ...variablesInside(mount, inside) },
        filter,
        refusedHosts: () => pass?.refused() ?? [],
        [Symbol.dispose]: () => pass?.[Symbol.dispose](),
      }
    },
    async holdNetwork() {
      if (state.state === 'off' || !withoutNetwork) return null
      const pass = canGrant ? await openProxyPass([], user).catch(() => null) : null
      try {
        const network = await holdNetwork(user, pass?.socket ?? null)
        const probe = { ...known, folder, filterFile, kernel: findKernelPlaces(), masked: maskedCredentials(places) }
        keepsApart ??= reachesMachine(probe, { ownProcesses }, network.enter).then((reaches) => !reaches)
        if (await keepsApart) return network
        await network[Symbol.asyncDispose]()
        return null
      } finally {
        pass?.[Symbol.dispose]()
      }
    },
    async [Symbol.asyncDispose]() {
      await proxies[Symbol.asyncDispose]()
      await removeMade(folder)
    },
  }
}

/** Without its proxy a command has no network, which is the normal case. Throws when hosts were granted. */
function offUnlessGranted(hosts: readonly string[]) {
  return (error: unknown): null => {
    if (hosts.length > 0) throw error
    return null
  }
}

/** Runs commands unconfined. Each of them asks. */
export function noSandbox(reason: string, options: Pick<SandboxOptions, 'home' | 'environment'> = {}): Sandbox {
  const { home = homedir(), environment = process.env } = options
  const places = readablePlaces({ hidden: [], home, path: '', environment })
  return {
    state: { state: 'off', reason },
    skipped: [],
    findRegistries: () => readRegistries({ home, environment }),
    confine: async (program, { mount, given }) => withoutSandbox(program, places, { mount, given }),
    holdNetwork: async () => null,
    [Symbol.asyncDispose]: async () => undefined,
  }
}

/** Java asks the system for the home of a user, not the variable, so Maven must be told. */
function toolVariables(places: ReadablePlaces, home: string): Readonly<Record<string, string>> {
  const own = Object.entries(places.written).map(([variable, below]) => [variable, join(home, below)] as const)
  const maven = places.usesMaven ? { MAVEN_OPTS: `-Duser.home=${home}` } : {}
  return { ...places.variables, ...Object.fromEntries(own), ...maven }
}

function withoutSandbox(
  program: readonly string[],
  tools: ReadablePlaces,
  { mount, given }: Pick<ConfineRequest, 'mount' | 'given'>,
): Confined {
  const environment = {
    ...toolVariables(tools, mount.home),
    ...placeVariables(mount.places, ({ folder }) => folder),
  }
  return {
    ...{ program, isConfined: false, environment, given, filter: null, refusedHosts: () => [] },
    [Symbol.dispose]: () => undefined,
  }
}

/** Connects the proxy's port inside with its socket outside, and waits until it can be reached. */
const withProxy = `socat TCP-LISTEN:${proxyPort},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:${proxyPlace} > /dev/null 2>&1 &
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  if (: < /dev/tcp/127.0.0.1/${proxyPort}) 2> /dev/null; then break; fi; read -t 0.01 _ < <(:) || :
done
exec "$@"`

const noSocat = 'Hosts cannot be granted, since socat is not installed: the network stays off.'

async function works([file = '', ...parameters]: readonly string[]): Promise<boolean> {
  return run(file, parameters, { timeout: 10_000 }).then(
    () => true,
    () => false,
  )
}
