import type { CommandLine } from './arguments.ts'

/** A verb about programs that are not ours: editors, other agents, servers and hooks. Loads only what that one needs. */
export async function serveProgram(line: CommandLine): Promise<number> {
  if (line.command === 'acp') return (await import('./acp/acp.ts')).acp(line)
  if (line.command === 'mcp') return (await import('./mcp/mcp.ts')).mcp(line)
  if (line.command === 'hooks') return (await import('./hooks.ts')).hooks(line)
  if (line.command === 'import') return (await import('./imports/import.ts')).importDefinitions(line)
  return (await import('./mcp/servers.ts')).answerAboutServers(line)
}
