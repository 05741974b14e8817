import type { CommandLine } from './arguments.ts'

/** A verb that another program starts, and talks to on its standard streams. Loads the library of its protocol alone. */
export async function serveProgram(line: CommandLine): Promise<number> {
  return line.command === 'acp' ? (await import('./acp/acp.ts')).acp(line) : (await import('./mcp/mcp.ts')).mcp(line)
}
