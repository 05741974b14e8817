import type { ListeningPort } from '#core/ports/shell.ts'

const listening = '0A'

/**
 * The ports of the kernel's tables of TCP sockets, `net/tcp` and `net/tcp6` of a process, sorted. A port that both have
 * is reached by IPv4.
 */
export function listeningPorts(tables: Readonly<Record<ListeningPort['family'], string>>): readonly ListeningPort[] {
  const found = new Map<number, ListeningPort>()
  for (const family of ['v4', 'v6'] as const)
    for (const line of tables[family].split('\n').slice(1)) {
      const [, local = '', , state] = line.trim().split(/\s+/)
      const port = Number.parseInt(local.split(':')[1] ?? '', 16)
      if (state === listening && !found.has(port)) found.set(port, { port, family })
    }
  return [...found.values()].sort((a, b) => a.port - b.port)
}
