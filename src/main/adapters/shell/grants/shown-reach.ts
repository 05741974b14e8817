import { existsSync } from 'node:fs'
import type { LocalReach, ShellGrants } from '#core/ports/shell.ts'
import { isAbove } from '../readable-places.ts'

interface ReachAround {
  /** The app's own folders. */
  readonly own: readonly string[]
  /** Folders of the machine that the command sees, and in which nothing can be made. */
  readonly readable: readonly string[]
  /** Folders that the command sees as views. What is made there counts as its change. */
  readonly views: readonly string[]
  /** Whether ports of the machine's loopback are `there` by themselves, can be `led` to, or `none` of them can. */
  readonly ports: 'there' | 'led' | 'none'
}

/** What of the machine a command gets, and what it does not, each with the reason. */
export interface ShownReach extends LocalReach {
  readonly refused: readonly string[]
}

/** What a command gets of what a person granted to its project and to itself, and the rest with the reasons. */
export function shownReach(
  reach: LocalReach | undefined,
  grants: ShellGrants | undefined,
  { own, readable, views, ports }: ReachAround,
): ShownReach {
  const localPorts = [...new Set([...(reach?.localPorts ?? []), ...(grants?.localPorts ?? [])])]
  const refused = ports === 'none' ? localPorts.map((port) => `localhost:${port}, since socat is not installed`) : []
  const sockets: string[] = []
  for (const path of reach?.sockets ?? []) {
    const isIn = (folders: readonly string[]) => folders.some((folder) => isAbove(folder, path))
    if (isIn(views)) refused.push(`${path}, which is in the project, of which commands see a view`)
    else if (isIn(own)) refused.push(`${path}, which is in a folder of the app`)
    else if (isIn(readable) && !existsSync(path)) refused.push(`${path}, which is not there`)
    else sockets.push(path)
  }
  return { localPorts: ports === 'led' ? localPorts : [], sockets, refused }
}
