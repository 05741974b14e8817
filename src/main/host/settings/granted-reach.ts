import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '#adapters/settings/settings-schema.ts'
import type { LocalReach } from '#core/ports/shell.ts'
import { isFolder } from './setup-settings.ts'

export interface GrantedHosts {
  readonly everywhere: readonly string[]
  readonly byFolder: Readonly<Record<string, readonly string[]>>
}

/** The hosts that all commands in a project may reach. A folder in the settings may be a link to the project's. */
export function hostsFor({ everywhere, byFolder }: GrantedHosts, rootFolder: string | null): readonly string[] {
  return [...new Set([...everywhere, ...ofFolder(byFolder, rootFolder)])]
}

function ofFolder<Value>(byFolder: Readonly<Record<string, readonly Value[]>>, rootFolder: string | null) {
  const own = Object.entries(byFolder).filter(([folder]) => rootFolder !== null && isFolder(folder, rootFolder))
  return own.flatMap(([, values]) => values)
}

export interface GrantedReach {
  readonly everywhere: LocalReach
  readonly portsByFolder: Readonly<Record<string, readonly number[]>>
  /** Paths may begin with `~/`. */
  readonly socketsByFolder: Readonly<Record<string, readonly string[]>>
}

/** What of this machine all commands in a project reach. A folder in the settings may be a link to the project's. */
export function reachFor(reach: GrantedReach, rootFolder: string | null): LocalReach {
  const { everywhere, portsByFolder, socketsByFolder } = reach
  const sockets = [...everywhere.sockets, ...ofFolder(socketsByFolder, rootFolder)]
  return {
    localPorts: [...new Set([...everywhere.localPorts, ...ofFolder(portsByFolder, rootFolder)])],
    sockets: [...new Set(sockets.map((path) => (path.startsWith('~/') ? join(homedir(), path.slice(2)) : path)))],
  }
}

/** Hosts, ports as `localhost:5432`, and paths of sockets: all that commands in a project reach outside their views. */
export function allReached(
  { hosts, reach }: { readonly hosts: GrantedHosts; readonly reach: GrantedReach },
  rootFolder: string | null,
): readonly string[] {
  const { localPorts, sockets } = reachFor(reach, rootFolder)
  return [...hostsFor(hosts, rootFolder), ...localPorts.map((port) => `localhost:${port}`), ...sockets]
}

export function hostsIn({ sandbox }: Settings, everywhere: readonly string[] = []): GrantedHosts {
  return { everywhere, byFolder: (typeof sandbox === 'object' && sandbox.hosts) || {} }
}

export function reachIn(
  { sandbox }: Settings,
  { localPorts = [], sockets = [] }: Partial<LocalReach> = {},
): GrantedReach {
  const set = typeof sandbox === 'object' ? sandbox : {}
  return {
    everywhere: { localPorts, sockets },
    portsByFolder: set.local_ports ?? {},
    socketsByFolder: set.sockets ?? {},
  }
}
