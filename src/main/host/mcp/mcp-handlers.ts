import { WireError } from '#shared/contract/wire-errors.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { writtenServer } from './mcp-definitions.ts'

export function mcpHandlers(os: Implementer, { projects, settings }: HostParts) {
  return {
    put: os.mcp.put.handler(async ({ input: { name, transport } }) => {
      const { alwaysLoad, always_load: always } = (settings.read().mcpServers[name] ?? {}) as Record<string, unknown>
      const kept = always ?? alwaysLoad
      settings.put(['mcp_servers', name], { ...writtenServer(transport), ...(kept === true && { always_load: true }) })
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
    login: os.mcp.login.handler(async ({ input: { projectId, hash, remember } }) =>
      projects.get(projectId).mcp.logins.begin(hash, remember),
    ),
    loggedIn: os.mcp.loggedIn.handler(async ({ input: { projectId, hash } }) => {
      const { mcp } = projects.get(projectId)
      await mcp.logins.wait(hash)
      return mcp.list()
    }),
    answerLogin: os.mcp.answerLogin.handler(async ({ input: { projectId, hash, address } }) =>
      projects.get(projectId).mcp.logins.answer(hash, address),
    ),
    cancelLogin: os.mcp.cancelLogin.handler(async ({ input: { projectId, hash } }) =>
      projects.get(projectId).mcp.logins.cancel(hash),
    ),
    questions: os.mcp.questions.handler(async ({ input }) => projects.get(input.projectId).mcp.questions?.list() ?? []),
    answer: os.mcp.answer.handler(async ({ input: { projectId, id, answer } }) => {
      const { questions } = projects.get(projectId).mcp
      if (!questions) throw new WireError('NOT_FOUND', 'No server asks here.')
      questions.answer(id, answer)
    }),
    resources: os.mcp.resources.handler(async ({ input: { projectId, query, limit } }) => {
      const { mcp } = projects.get(projectId)
      await mcp.refresh()
      return mcp.resources(query, limit)
    }),
    logOut: os.mcp.logOut.handler(async ({ input: { projectId, hash } }) => {
      const { mcp } = projects.get(projectId)
      await mcp.logins.end(hash)
      return mcp.list()
    }),
  }
}
