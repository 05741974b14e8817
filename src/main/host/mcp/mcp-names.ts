import { hashOf } from './mcp-definitions.ts'

const maxLength = 64
const fingerprintLength = 8

/**
 * The name under which a model calls a tool of a server, in the characters and the length the API takes. It follows from server and tool
 * alone, so that what was asked for, allowed or approved never becomes another server's tool when one of them is away. The first `__`
 * behind `mcp__` ends the server's name, so that no name of a server fits a rule about another.
 */
export function mcpToolName(server: string, tool: string): string {
  const ownPlace = server.replace(/[^A-Za-z0-9-]+/g, '_').replace(/^_|_$/g, '')
  const place = ownPlace === server ? server : `${ownPlace}_${fingerprint(server)}`
  const ownName = tool.replace(/[^A-Za-z0-9_-]/g, '_')
  const name = `mcp__${place}__${ownName}`
  if (ownName === tool && name.length <= maxLength) return name
  return `${name.slice(0, maxLength - fingerprintLength - 1)}_${fingerprint(`${server} ${tool}`)}`
}

function fingerprint(text: string): string {
  return hashOf(text).slice(0, fingerprintLength)
}
