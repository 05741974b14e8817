import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findCommandUser } from '../../system/command-user.ts'
import { makeTemporary, removeMade } from '../../system/made-folders.ts'
import { canEnter, enterProgram } from '../../system/steps.ts'
import { systemProgram } from '../../system/system-programs.ts'
import { keepProxies, openProxyPass, proxyPort, trustFor } from '../host-proxy.ts'
import { holdNetwork } from '../processes/branch-network.ts'
import { maskedCredentials, placesAround, readablePlaces } from '../readable-places.ts'
import { certificatesName, readRegistries } from '../registries/read-registries.ts'
import { realFolders, runUnconfined, type Sandbox, type SandboxOptions, toolVariables } from '../sandbox.ts'
import { givenPlace, homePlace, inBubblewrap, proxyPlace, variablesInside } from './bubblewrap.ts'
import { kernelPlaces } from './kernel-places.ts'
import { probeSandbox, reachesMachine } from './probe.ts'
import { seccompFilter } from './seccomp-filter.ts'

const run = promisify(execFile)

const filterDescriptor = 3

/** Finds out which confinement works by trying it. `hidden`: the app's own folders, which no command may read. */
export async function openBubblewrap(hidden: readonly string[], options: SandboxOptions = {}): Promise<Sandbox> {
  const { home = homedir(), environment = process.env, path = environment.PATH ?? '' } = options
  const { findUser = findCommandUser, findKernelPlaces = kernelPlaces, bubblewrap = systemProgram('bwrap') } = options
  const folder = makeTemporary('sandbox')
  const places = readablePlaces({ hidden: [...hidden, folder], home, path, environment })
  const seccomp = seccompFilter()
  const filterFile = join(folder, 'seccomp')
  if (seccomp) await writeFile(filterFile, seccomp)
  const filter = seccomp && { descriptor: filterDescriptor, file: filterFile }
  const user = await findUser()
  const enter = canEnter() ? enterProgram() : null
  const known = { user, places, enter, bubblewrap, filterDescriptor: filter ? filterDescriptor : null }
  const [{ state, withoutNetwork, ownProcesses, isCutOff }, hasSocat] = await Promise.all([
    probeSandbox({ ...known, folder, filterFile, kernel: findKernelPlaces(), masked: maskedCredentials(places) }),
    works(['socat', '-V']),
  ])
  const proxies = keepProxies()
  /** Whether shared networks keep commands from the machine. Tried with the first one. */
  let keepsApart: Promise<boolean> | undefined
  // A partial sandbox without a network needs the way to granted hosts as well.
  const canGrant = isCutOff && hasSocat
  return {
    state: withLacks(state, isCutOff, hasSocat),
    skipped: places.skipped,
    async findRegistries(hosts) {
      const registries = readRegistries({ home, environment })
      if (!canGrant || hosts.length === 0) return registries
      const trust = await trustFor(hosts, user, registries)
      return { ...registries, settings: { ...registries.settings, ...(trust && { [certificatesName]: trust }) } }
    },
    async confine(program, { mount, rootFolder, hosts, logins, given, network = null, memoryBytes }) {
      if (state.state === 'off') return runUnconfined(program, places, { mount, given })
      const isShared = network !== null
      const pass = canGrant && hosts.length > 0 ? await openProxyPass(hosts, user, { logins, isShared }) : null
      using opening = new DisposableStack()
      if (pass) opening.use(pass)
      const way = pass?.socket && network ? opening.use(await network.leadTo(pass.socket)) : null
      const { around, waysIn } = placesAround(realFolders(rootFolder, mount), places)
      const masked = maskedCredentials(around)
      const inside = {
        ...{ ...known, places: around, rootFolder, given, memoryBytes, ownProcesses },
        withoutNetwork: withoutNetwork && !isShared,
        ...{ kernel: findKernelPlaces(), proxySocket: isShared ? null : (pass?.socket ?? null) },
        masked: { ...masked, folders: [...masked.folders, ...waysIn] },
      }
      const withProxies = [systemProgram('bash'), '--norc', '-c', withProxy, 'bash', ...program]
      const inner = pass && !isShared ? withProxies : program
      const held = opening.move()
      return {
        program: inBubblewrap(inner, mount, inside),
        isConfined: true,
        given: given && givenPlace,
        environment: {
          ...toolVariables(places, homePlace, pass?.environment(way?.port)),
          ...variablesInside(mount, inside),
        },
        filter,
        refusedHosts: () => pass?.refused() ?? [],
        [Symbol.dispose]: () => held[Symbol.dispose](),
      }
    },
    async holdNetwork() {
      if (!isCutOff) return null
      const network = await holdNetwork(user)
      const probe = { ...known, folder, filterFile, kernel: findKernelPlaces(), masked: maskedCredentials(places) }
      keepsApart ??= reachesMachine(probe, { ownProcesses }, network.enter).then((reaches) => !reaches)
      if (await keepsApart) return network
      await network[Symbol.asyncDispose]()
      return null
    },
    async [Symbol.asyncDispose]() {
      await proxies[Symbol.asyncDispose]()
      await removeMade(folder)
    },
  }
}

/** Connects the proxy's port inside with its socket outside, and waits until it can be reached or the way has ended. */
const withProxy = `socat TCP-LISTEN:${proxyPort},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:${proxyPlace} > /dev/null 2>&1 &
while kill -0 $! 2> /dev/null && [ $SECONDS -lt 10 ]; do
  if (: < /dev/tcp/127.0.0.1/${proxyPort}) 2> /dev/null; then break; fi; read -t 0.01 _ <> <(:) || :
done
exec "$@"`

/** What a sandbox without a network cannot give here, beside its reason. */
function withLacks(state: Sandbox['state'], isCutOff: boolean, hasSocat: boolean): Sandbox['state'] {
  return hasSocat || !isCutOff ? state : { ...state, reason: `${state.reason} ${noSocat}` }
}

const noSocat = 'Hosts cannot be granted, since socat is not installed: the network stays off.'

async function works([file = '', ...parameters]: readonly string[]): Promise<boolean> {
  return run(file, parameters, { timeout: 10_000 }).then(
    () => true,
    () => false,
  )
}
