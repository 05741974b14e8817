import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import {
  type AgentContext,
  type LoadSessionResponse,
  type McpServer,
  RequestError,
  type SessionConfigOption,
  type SessionInfo,
} from '@agentclientprotocol/sdk'
import { pdfReader } from '#host/inputs/read-input.ts'
import type { Project } from '#host/project/project.ts'
import { findThread, listAllThreads } from '#host/threads/stored-threads.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { createDirectClient } from '#host/wiring/direct-client.ts'
import { checkpointRows } from '#shared/model/derived/checkpoints.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { appPaths } from '../app-paths.ts'
import { modesOf, optionsOf } from './choices.ts'
import type { RunLine } from './run-verb.ts'
import { type EditorSession, openSession } from './session.ts'

/** Sessions of one page of the list. */
const perPage = 50

/** The sessions that an editor has open in the projects of this process. */
export interface Sessions {
  /** Throws `sessionNotFound` for one that is not open. */
  get(sessionId: string): EditorSession
  has(sessionId: string): boolean
  begin(folder: string, servers: readonly McpServer[], editor: AgentContext): Promise<EditorSession>
  /** Opens a stored thread. Throws `sessionNotFound` when the folder has none with this id. */
  resume(sessionId: string, folder: string, servers: readonly McpServer[], editor: AgentContext): Promise<EditorSession>
  /** A new thread with the conversation and files of another one as they are now. */
  fork(sessionId: string, folder: string, servers: readonly McpServer[], editor: AgentContext): Promise<EditorSession>
  list(folder: string | null, cursor: string | null): { readonly sessions: SessionInfo[]; readonly nextCursor?: string }
  close(sessionId: string): Promise<void>
  /** Closes all of them. */
  leave(): Promise<void>
}

export function createSessions(host: Host, runLine: RunLine): Sessions {
  const open = new Map<string, EditorSession>()
  const readPdf = pdfReader(appPaths.pdfWorker)

  async function projectAt(folder: string, servers: readonly McpServer[]): Promise<Project> {
    if (!isAbsolute(folder))
      throw RequestError.invalidParams({ cwd: folder }, `The folder "${folder}" must be given as an absolute path.`)
    const project = await host.projects.open(folder)
    await project.mcp.lend(definitionsOf(servers))
    await project.extensions.refresh()
    return project
  }
  const follow = (project: Project, id: ThreadId, editor: AgentContext): EditorSession => {
    open.get(id)?.[Symbol.dispose]()
    const session = openSession({ host, runLine, project, editor, readPdf, id })
    open.set(id, session)
    return session
  }
  async function storedAt(sessionId: string, folder: string, servers: readonly McpServer[]): Promise<Project> {
    const project = await projectAt(folder, servers)
    const { thread } = await findThread(host, sessionId).catch(() => ({ thread: null }))
    if (thread?.id !== sessionId || thread.parent !== null || !project.family(thread.id)[0])
      throw RequestError.sessionNotFound(sessionId)
    return project
  }
  return {
    get(sessionId) {
      const session = open.get(sessionId)
      if (!session) throw RequestError.sessionNotFound(sessionId)
      return session
    },
    has: (sessionId) => open.has(sessionId),
    begin: async (folder, servers, editor) =>
      follow(await projectAt(folder, servers), randomUUID() as ThreadId, editor),
    resume: async (sessionId, folder, servers, editor) =>
      follow(await storedAt(sessionId, folder, servers), sessionId as ThreadId, editor),
    async fork(sessionId, folder, servers, editor) {
      const project = await storedAt(sessionId, folder, servers)
      const [thread] = project.family(sessionId as ThreadId)
      const to = lastCheckpoint(project, sessionId as ThreadId)
      if (!thread || to === undefined) throw RequestError.sessionNotFound(sessionId)
      const { rewind } = createDirectClient(host)
      const of = { projectId: project.info().id, threadId: thread.id, to }
      const { threadId } = await rewind.fork({ ...of, title: `${thread.title} (fork)`.slice(0, 200) })
      return follow(project, threadId, editor)
    },
    list(folder, cursor) {
      const { threads } = listAllThreads(host.options.dataFolder)
      const real = folder === null ? null : realFolder(folder)
      const fitting = threads.filter(({ project }) => isAbsolute(project) && (real === null || project === real))
      const from = Number(cursor ?? 0)
      if (!Number.isInteger(from) || from < 0)
        throw RequestError.invalidParams({ cursor }, 'The cursor is none that a list of sessions gave.')
      const sessions = fitting.slice(from, from + perPage).map(({ threadId, project, title, updatedAt }) => ({
        ...{ sessionId: threadId, cwd: project, title },
        updatedAt: new Date(updatedAt).toISOString(),
      }))
      const next = from + perPage
      return { sessions, ...(next < fitting.length && { nextCursor: String(next) }) }
    },
    async close(sessionId) {
      const session = this.get(sessionId)
      await session.leave()
      session[Symbol.dispose]()
      open.delete(sessionId)
    },
    async leave() {
      await Promise.all([...open.keys()].map((id) => this.close(id)))
    },
  }
}

/** What an editor may choose in a session. */
export function stateOf(
  host: Host,
  session: EditorSession,
): LoadSessionResponse & { readonly configOptions: SessionConfigOption[] } {
  const choices = session.choices()
  return { modes: modesOf(choices), configOptions: optionsOf(host, choices) }
}

/** As projects are stored. One that is gone stays as it was named. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

function lastCheckpoint({ services }: Project, id: ThreadId): number | undefined {
  const past = services.log.state.past.threads.get(id)
  return past && checkpointRows(past).at(-1)?.to
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
