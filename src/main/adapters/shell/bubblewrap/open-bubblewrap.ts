import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findCommandUser } from '../../system/command-user.ts'
import { makeTemporary, removeMade } from '../../system/made-folders.ts'
import { canEnter, enterProgram } from '../../system/steps.ts'
import { systemProgram } from '../../system/system-programs.ts'
import { placesOf } from '../grants/granted-places.ts'
import { createLocalRelays } from '../grants/local-relays.ts'
import { shownReach } from '../grants/shown-reach.ts'
import { openTalkSocket } from '../grants/talk-socket.ts'
import { keepProxies, openProxyPass, trustedRegistries } from '../host-proxy.ts'
import { holdNetwork } from '../processes/branch-network.ts'
import { maskedCredentials, readablePlaces } from '../readable-places.ts'
import { realFolders, runUnconfined, type Sandbox, type SandboxOptions, toolVariables, viewsOf } from '../sandbox.ts'
import { givenPlace, homePlace, inBubblewrap, variablesInside } from './bubblewrap.ts'
import { kernelPlaces } from './kernel-places.ts'
import { probeSandbox, reachesMachine } from './probe.ts'
import { withRelays } from './relays.ts'
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
  const probe = () => ({ ...known, folder, filterFile, kernel: findKernelPlaces(), masked: maskedCredentials(places) })
  const [{ state, withoutNetwork, ownProcesses, isCutOff }, hasSocat] = await Promise.all([
    probeSandbox(probe()),
    works(['socat', '-V']),
  ])
  const proxies = keepProxies()
  const relays = createLocalRelays(folder, user)
  /** Whether shared networks keep commands from the machine. Tried with the first one. */
  let keepsApart: Promise<boolean> | undefined
  // With the machine's network there is nothing to lead from.
  const waysToPorts = isCutOff ? (hasSocat ? 'led' : 'none') : 'there'
  // A partial sandbox without a network needs the way to granted hosts as well.
  const canGrant = isCutOff && hasSocat
  return {
    state: withLacks(state, isCutOff, hasSocat),
    skipped: places.skipped,
    findRegistries: (hosts) => trustedRegistries(canGrant ? hosts : [], user, { home, environment }),
    async confine(program, request) {
      const { mount, rootFolder, hosts, grants, reach, onTalk, logins, given, network = null, memoryBytes } = request
      if (state.state === 'off') return runUnconfined(program, places, { mount, given })
      const isShared = network !== null
      using opening = new DisposableStack()
      const wantsPass = canGrant && hosts.length > 0
      const pass = wantsPass ? opening.use(await openProxyPass(hosts, user, { logins, isShared })) : null
      const way = pass?.socket && network ? opening.use(await network.leadTo(pass.socket)) : null
      const around = { user, home, environment, path, hidden: [...hidden, folder] }
      const shown = placesOf(realFolders(rootFolder, mount), places, grants, around)
      const seen = { own: around.hidden, readable: shown.places.folders, views: viewsOf(rootFolder, mount) }
      const reached = shownReach(reach, grants, { ...seen, ports: waysToPorts })
      const { ports, sockets, missed } = opening.use(await relays.open(reached, network))
      const talk = onTalk && enter !== null ? opening.use(await openTalkSocket(folder, user, onTalk)) : null
      const inside = {
        ...{ ...known, ...shown, rootFolder, given, memoryBytes, ownProcesses },
        withoutNetwork: withoutNetwork && !isShared,
        ...{ kernel: findKernelPlaces(), proxySocket: isShared ? null : (pass?.socket ?? null) },
        ...{ sockets, talk, ports: isShared ? [] : ports },
      }
      const inner = isShared ? program : withRelays(program, { hasProxy: pass !== null, ports })
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
        missed,
        [Symbol.dispose]: () => held[Symbol.dispose](),
      }
    },
    async holdNetwork() {
      if (!isCutOff) return null
      const network = await holdNetwork(user)
      keepsApart ??= reachesMachine(probe(), { ownProcesses }, network.enter).then((reaches) => !reaches)
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

/** What a sandbox without a network cannot give here, beside its reason. */
function withLacks(state: Sandbox['state'], isCutOff: boolean, hasSocat: boolean): Sandbox['state'] {
  return hasSocat || !isCutOff ? state : { ...state, reason: `${state.reason} ${noSocat}` }
}

const noSocat =
  'Hosts and ports of this machine cannot be granted, since socat is not installed: the network stays off.'

async function works([file = '', ...parameters]: readonly string[]): Promise<boolean> {
  return run(file, parameters, { timeout: 10_000 }).then(
    () => true,
    () => false,
  )
}
