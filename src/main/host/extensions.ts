import { type ExtensionSource, type Extensions, noExtensions } from '#core/agent/extensions.ts'
import type { BaseTree } from '#core/ports/base-tree.ts'
import { readInstructions } from './instructions.ts'
import type { McpServers } from './mcp/mcp-servers.ts'

/** What the project and the user add to the agents; of the project's nothing before it is trusted. */
export function createExtensionSource(base: BaseTree, trusted: () => boolean, mcp: McpServers): ExtensionSource {
  let loaded: Extensions = noExtensions
  return {
    current: () => loaded,
    async refresh() {
      await mcp.refresh()
      const instructions = trusted() ? await readInstructions(base) : []
      loaded = { ...noExtensions, instructions, tools: mcp.tools() }
      return loaded
    },
  }
}
