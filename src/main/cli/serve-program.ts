import type { CommandLine } from './arguments.ts'

/** A verb about the Agent Client Protocol or the Model Context Protocol. Loads the library of its protocol alone. */
export async function serveProgram(line: CommandLine): Promise<number> {
  if (line.command === 'acp') return (await import('./acp/acp.ts')).acp(line)
  if (line.command === 'mcp') return (await import('./mcp/mcp.ts')).mcp(line)
  return (await import('./mcp/servers.ts')).answerAboutServers(line)
}
