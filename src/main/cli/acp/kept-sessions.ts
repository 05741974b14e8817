import { isAbsolute } from 'node:path'
import { type AgentContext, type McpServer, RequestError } from '@agentclientprotocol/sdk'
import { pdfReader } from '#host/inputs/read-input.ts'
import type { Project } from '#host/project/project.ts'
import type { Host } from '#host/wiring/create-host.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { appPaths } from '../app-paths.ts'
import type { RunLine } from '../run-verb.ts'
import type { Choices } from './choices.ts'
import { type EditorSession, openSession } from './session.ts'

/** What an editor said when it began or resumed a session. */
export interface SessionRequest {
  /** The folder of its project. */
  readonly cwd: string
  readonly mcpServers: McpServer[]
  readonly editor: AgentContext
  /** Whether the editor tells its text of a file that is not saved. */
  readonly readsBuffers: boolean
}

/** A session that an editor has open, also while its project is not. */
export interface KeptSession extends SessionRequest {
  readonly id: ThreadId
  /** What was chosen before its thread began. */
  choices: Choices | null
  /** Null while its project is not open here. */
  session: EditorSession | null
  /** Lets go of its project. */
  readonly end: () => void
}

/**
 * The sessions of an editor. Each has its project open only while something goes on in it, so that the window can open the
 * project meanwhile; one with servers of the editor keeps it, because they would start again and again.
 */
export function keepSessions(host: Host, runLine: RunLine) {
  const kept = new Map<string, KeptSession>()
  const readPdf = pdfReader(appPaths.pdfWorker)

  async function openIn(one: KeptSession): Promise<EditorSession> {
    const { id, editor, readsBuffers } = one
    const project = await projectAt(host, one)
    forget(one)
    one.session ??= openSession({ host, runLine, project, editor, readsBuffers, readPdf, id, choices: one.choices })
    return one.session
  }
  /** Takes the session away whose project was closed. */
  function forget(one: KeptSession): void {
    const { session } = one
    if (session === null || host.projects.find(session.project.info().id) === session.project) return
    session[Symbol.dispose]()
    one.session = null
  }
  async function workWith<Answer>(
    one: KeptSession,
    work: (session: EditorSession) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await host.projects.use(async () => {
        const session = await openIn(one)
        try {
          return await work(session)
        } finally {
          one.choices = session.choices()
        }
      })
    } finally {
      for (const each of kept.values()) forget(each)
    }
  }
  const add = (id: string, request: SessionRequest, choices: Choices | null = null): KeptSession => {
    remove(id)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const one = { ...request, id: id as ThreadId, choices, session: null, end }
    if (request.mcpServers.length > 0) void host.projects.use(() => ended)
    kept.set(id, one)
    return one
  }
  const remove = (id: string): void => {
    const one = kept.get(id)
    one?.session?.[Symbol.dispose]()
    one?.end()
    kept.delete(id)
  }
  return { kept, add, remove, workWith }
}

/** The project of a session, with the servers of the editor. Throws a `RequestError` for a folder that cannot be one. */
export async function projectAt({ projects }: Host, { cwd, mcpServers }: SessionRequest): Promise<Project> {
  if (!isAbsolute(cwd))
    throw RequestError.invalidParams({ cwd }, `The folder "${cwd}" must be given as an absolute path.`)
  const project = await projects.open(cwd)
  await project.mcp.lend(definitionsOf(mcpServers))
  await project.extensions.refresh()
  return project
}

/** The servers of an editor in the form of the person's own settings. */
function definitionsOf(servers: readonly McpServer[]): Readonly<Record<string, unknown>> {
  const record = (pairs: readonly { readonly name: string; readonly value: string }[]) =>
    Object.fromEntries(pairs.map(({ name, value }) => [name, value]))
  return Object.fromEntries(
    servers.map((server) => {
      if ('command' in server)
        return [server.name, { command: server.command, args: server.args, env: record(server.env) }]
      if (server.type === 'http') return [server.name, { url: server.url, headers: record(server.headers) }]
      throw RequestError.invalidParams(
        { name: server.name },
        `The server ${server.name} uses SSE. Coppice takes stdio and HTTP.`,
      )
    }),
  )
}
