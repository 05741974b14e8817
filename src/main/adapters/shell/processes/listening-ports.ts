import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { ListeningPort } from '#core/ports/shell.ts'
import { createPace } from '../../pace.ts'
import { measureTree } from '../limits/process-tree.ts'

const listening = '0A'

/**
 * The ports of the kernel's tables of TCP sockets, `net/tcp` and `net/tcp6` of a process, sorted. A port that both have
 * is reached by IPv4.
 */
export function listeningPorts(tables: Readonly<Record<ListeningPort['family'], string>>): readonly ListeningPort[] {
  const found = new Map<number, ListeningPort>()
  for (const family of ['v4', 'v6'] as const)
    for (const { port } of listeningSockets(tables[family])) if (!found.has(port)) found.set(port, { port, family })
  return [...found.values()].sort((a, b) => a.port - b.port)
}

/** The sockets of one table that listen. `socket` is the number by which the kernel names it. */
function listeningSockets(table: string): readonly { readonly port: number; readonly socket: string }[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , socket = ''] = line.trim().split(/\s+/)
      return state === listening ? [{ port: Number.parseInt(local.split(':')[1] ?? '', 16), socket }] : []
    })
}

/** Threads of a tree that are looked at. */
const mostThreads = 4096

/**
 * The ports on which a process and everything below it listen. Empty where the system does not tell: without `/proc`, or
 * when the app may not look at their files.
 */
export async function portsOfTree(pid: number): Promise<readonly number[]> {
  const pace = createPace()
  const { pids } = await measureTree(pid, mostThreads)
  const held = new Set<string>()
  for (const one of pids) {
    for (const socket of socketsOf(one)) held.add(socket)
    await pace()
  }
  const sockets = ['tcp', 'tcp6'].flatMap((table) => listeningSockets(tableOf(pid, table)))
  return [...new Set(sockets.filter(({ socket }) => held.has(socket)).map(({ port }) => port))]
}

/** The ports on which programs of this machine listen that are not below this process. Empty where the system does not tell. */
export async function portsOfOthers(): Promise<readonly number[]> {
  const { pid } = process
  const all = listeningPorts({ v4: tableOf(pid, 'tcp'), v6: tableOf(pid, 'tcp6') })
  if (all.length === 0) return []
  const own = await portsOfTree(pid)
  return all.map(({ port }) => port).filter((port) => !own.includes(port))
}

function socketsOf(pid: number): readonly string[] {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).flatMap((name) => /^socket:\[(\d+)\]$/.exec(linkAt(`${folder}/${name}`))?.[1] ?? [])
  } catch {
    return []
  }
}

/** Empty for a file that was closed meanwhile. */
function linkAt(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function tableOf(pid: number, table: string): string {
  try {
    return readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
  } catch {
    return ''
  }
}
