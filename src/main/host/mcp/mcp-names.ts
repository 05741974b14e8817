import { hashOf } from './mcp-definitions.ts'

const maxLength = 64
const fingerprintLength = 8

/**
 * The name by which a model calls a server's tool, in the characters and length that the API accepts.
 *
 * It depends only on server and tool, so an approved name never becomes another server's tool when one of them is away.
 * The first `__` after `mcp__` ends the server's name, so a rule about one server never fits another.
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
