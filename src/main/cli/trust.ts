import type { Project } from '#host/project/project.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { type CommandLine, UsageError } from './arguments.ts'
import { printStatus } from './print-status.ts'

/**
 * Carries out `--trust` and `--trust-mcp`, and names every server that starts or stays off. Throws `UsageError` for a
 * server that does not exist.
 */
export async function trustAsAsked(line: CommandLine, host: Host, project: Project): Promise<void> {
  if (line.flag('trust')) host.projects.setTrusted(project.info().id, true)
  const wanted = line.texts('trust-mcp')
  const { servers } = await project.mcp.list()
  const unknown = wanted.find((name) => servers.every((server) => server.name !== name))
  if (unknown !== undefined) {
    const known = servers.map(({ name }) => name).join(', ') || 'none is defined'
    throw new UsageError(`--trust-mcp: there is no server "${unknown}". Servers: ${known}.`)
  }
  for (const { name, hash, source, transport, trusted } of servers) {
    const isWanted = wanted.includes(name) || line.flag('trust')
    if (source === 'project' && !project.info().trusted) {
      if (wanted.includes(name))
        throw new UsageError(`--trust-mcp ${name}: this folder defines the server. Add --trust to trust the folder.`)
      continue
    }
    if (trusted) continue
    if (!isWanted) {
      printStatus(`Not started: the server ${name} is not trusted. --trust-mcp ${name} starts it.`)
      continue
    }
    await project.mcp.setTrusted(hash, true)
    const place = transport.kind === 'http' ? transport.url : [transport.command, ...transport.args].join(' ')
    printStatus(`Trusted: the server ${name} (${place}).`)
  }
}
