import type { HostParts } from '../create-host.ts'
import type { Implementer } from '../router.ts'

export function mcpHandlers(os: Implementer, { projects }: HostParts) {
  return {
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
