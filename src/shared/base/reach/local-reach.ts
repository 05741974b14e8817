import { grantableHost } from './host-names.ts'
import { grantProblem } from './registry-presets.ts'

/** Of `sun_path` in Linux, without its end. */
const mostBytes = 107
const unseen = /[[\p{C}\p{Default_Ignorable_Code_Point}\u{2800}\p{Z}]--[ ]]/gv

/**
 * Says why a text is no socket of this machine that a person can grant, as a sentence with the next step. Null for a path from
 * the root, or one below the home as `~/…`.
 */
export function socketProblem(path: string): string | null {
  const shown = JSON.stringify(path.slice(0, 200).replace(unseen, '\u{fffd}'))
  if (path.search(unseen) >= 0) return `${shown} has characters that nobody sees. Write the path without them.`
  if (new TextEncoder().encode(path).length > mostBytes)
    return `${shown} is longer than the path of a socket can be, which has at most ${mostBytes} bytes.`
  if (path.startsWith('/proc/'))
    return `${shown} leads each program elsewhere. Write the path at which the socket is, such as /run/docker.sock.`
  if (!/^(~\/|\/)./.test(path) || path.endsWith('/'))
    return `${shown} is not the path of a socket. Write it in full, such as /run/docker.sock or ~/.colima/docker.sock.`
  if (path.split('/').some((part) => part === '..' || part === '.'))
    return `${shown} has a part that leads elsewhere. Write the path without "." and "..".`
  return null
}

/** The port that a text names; null for none. */
export function portIn(text: string): number | null {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null
}

const engines = /(?:docker|podman|containerd|buildkitd|crio)[^/]*\.sock$/
const keepers = /(?:ssh-|gpg-agent|agent\.\d+$|S\.gpg)/

/** What a command can do with a socket, as a sentence. */
export function openedBySocket(path: string): string {
  if (engines.test(path))
    return 'Whoever has it is root on this machine, or can do all that you can: containers show any folder.'
  if (keepers.test(path)) return 'Whoever has it signs and logs in with your keys.'
  return 'Whoever has it can do all that the program behind it does for you.'
}

/** What of a list of names leads where: to hosts, to ports of this machine's loopback, and to sockets of this machine. */
interface NamedReach {
  readonly hosts: readonly string[]
  readonly localPorts: readonly number[]
  /** Absolute paths. */
  readonly sockets: readonly string[]
}

const local = /^(?:localhost|127\.0\.0\.1):(\d+)$/i

/** The port of `localhost:5432`; null for any other name. */
export function localPortIn(name: string): number | null {
  return portIn(local.exec(name)?.[1] ?? '')
}

/** Sorts names as a person grants them: `example.com`, `localhost:5432`, `/run/docker.sock`. */
export function readReach(names: readonly string[]): NamedReach {
  const ports = names.flatMap((name) => localPortIn(name) ?? [])
  return {
    hosts: names.filter((name) => localPortIn(name) === null && !name.startsWith('/')),
    localPorts: ports,
    sockets: names.filter((name) => name.startsWith('/')),
  }
}

/** Whether a name is one that a person can grant to one command: a host, a port of this machine, or the path of a socket. */
export function isGrantable(name: string): boolean {
  return name.startsWith('/') ? socketProblem(name) === null : grantableHost.test(name)
}

/** Why a text is nothing that a person can grant to a whole project, as a sentence. Null for one that is, and for a preset. */
export function reachProblem(text: string): string | null {
  return text.startsWith('/') ? socketProblem(text) : grantProblem(text)
}

/** A path that could look like several names, or like words of ours, stands in quotes. */
function shownPath(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : JSON.stringify(path)
}

/** What a person should know before they let commands reach these parts of this machine, as sentences. Empty for hosts alone. */
export function reachWarnings(names: readonly string[]): readonly string[] {
  const { localPorts, sockets } = readReach(names)
  const isLocal = localPorts.length + sockets.length > 0
  return [
    ...(isLocal ? ['What a command does on this machine is not undone with its changes.'] : []),
    ...sockets.map((path) => `${shownPath(path)}: ${openedBySocket(path)}`),
  ]
}
