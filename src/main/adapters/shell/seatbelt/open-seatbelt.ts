import { homedir } from 'node:os'
import { join } from 'node:path'
import { type LocalReach, talkVariable } from '#core/ports/shell.ts'
import type { CommandUser } from '../../system/command-user.ts'
import { makeTemporary, removeMade } from '../../system/made-folders.ts'
import { openTalkSocket } from '../grants/talk-socket.ts'
import { keepProxies, openProxyPass, trustedRegistries } from '../host-proxy.ts'
import { macFolders, readablePlaces } from '../readable-places.ts'
import {
  otherVariables,
  placeVariables,
  runUnconfined,
  type Sandbox,
  type SandboxOptions,
  toolVariables,
} from '../sandbox.ts'
import { probeSeatbelt } from './probe.ts'
import { writeProfile } from './profile.ts'
import { rulesFor } from './rules.ts'

export interface SeatbeltOptions extends SandboxOptions {
  /** Path of `sandbox-exec`. The system's own when absent. */
  readonly program?: string
  /** Path of `nc`, by which a program talks with the app over a socket. The system's own when absent. */
  readonly netcat?: string
}

/** Commands run as the person. The profile alone keeps them in. */
const person: CommandUser = { kind: 'unknown' }

/**
 * The sandbox of macOS. A command works at the real path of its view, because the system cannot show a folder under the
 * path of another. Finds out what it prevents by trying. `hidden`: the app's own folders, which no command may read.
 */
export async function openSeatbelt(hidden: readonly string[], options: SeatbeltOptions = {}): Promise<Sandbox> {
  const { home = homedir(), environment = process.env, path = environment.PATH ?? '' } = options
  const { program: sandboxExec = '/usr/bin/sandbox-exec', netcat = '/usr/bin/nc' } = options
  const folder = makeTemporary('sandbox')
  const places = readablePlaces({ hidden: [...hidden, folder], home, path, environment, system: macFolders })
  const state = await probeSeatbelt({ program: sandboxExec, folder: join(folder, 'probe'), home, places })
  const proxies = keepProxies()
  const canGrant = state.state === 'on'
  return {
    state,
    skipped: places.skipped,
    findRegistries: (hosts) => trustedRegistries(canGrant ? hosts : [], person, { home, environment }),
    async confine(program, { mount, rootFolder, hosts, grants, reach, onTalk, logins, given }) {
      if (state.state === 'off') return runUnconfined(program, places, { mount, given })
      using opening = new DisposableStack()
      const wantsPass = canGrant && hosts.length > 0
      const pass = wantsPass ? opening.use(await openProxyPass(hosts, person, { logins, isShared: true })) : null
      const talk = onTalk ? opening.use(await openTalkSocket(folder, person, onTalk)) : null
      const reached = talk === null ? reach : withSocket(reach, talk.socket)
      const granted = { ...(grants && { grants }), ...(reached && { reach: reached }) }
      const rules = rulesFor({ mount, rootFolder, given, places, hosts, proxyPort: pass?.port ?? null, ...granted })
      const held = opening.move()
      return {
        program: [sandboxExec, '-p', writeProfile(rules), ...program],
        isConfined: true,
        given,
        environment: {
          ...toolVariables(places, mount.home, pass?.environment()),
          ...otherVariables(mount, (one) => one),
          ...placeVariables([...mount.places, ...(mount.folders ?? [])], (place) => place.folder),
          ...(talk && { [talkVariable]: `${netcat} -U ${talk.socket}` }),
        },
        filter: null,
        refusedHosts: () => pass?.refused() ?? [],
        [Symbol.dispose]: () => held[Symbol.dispose](),
      }
    },
    /** The system has no networks for some programs alone. */
    holdNetwork: async () => null,
    async [Symbol.asyncDispose]() {
      await proxies[Symbol.asyncDispose]()
      await removeMade(folder)
    },
  }
}

function withSocket(reach: LocalReach | undefined, socket: string): LocalReach {
  return { localPorts: reach?.localPorts ?? [], sockets: [...(reach?.sockets ?? []), socket] }
}
