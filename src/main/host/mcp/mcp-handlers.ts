import { WireError } from '#shared/contract/wire-errors.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { writtenServer } from './mcp-definitions.ts'

export function mcpHandlers(os: Implementer, { projects, settings }: HostParts) {
  return {
    put: os.mcp.put.handler(async ({ input: { name, transport } }) => {
      settings.put(['mcp_servers', name], writtenServer(transport))
    }),
    remove: os.mcp.remove.handler(async ({ input: { name } }) => {
      if (settings.read().mcpServers[name] === undefined)
        throw new WireError('NOT_FOUND', `${settings.file} has no server ${name}.`)
      settings.put(['mcp_servers', name], undefined)
    }),
    list: os.mcp.list.handler(({ input }) => projects.get(input.projectId).mcp.list()),
    trust: os.mcp.trust.handler(async ({ input }) => {
      const { mcp } = projects.get(input.projectId)
      await mcp.setTrusted(input.hash, input.trusted)
      return mcp.list()
    }),
    refresh: os.mcp.refresh.handler(async ({ input }) => {
      const { mcp } = projects.get(input.projectId)
      await mcp.refresh()
      return mcp.list()
    }),
  }
}
