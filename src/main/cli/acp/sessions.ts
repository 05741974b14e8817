import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import {
  type LoadSessionResponse,
  RequestError,
  type SessionConfigOption,
  type SessionInfo,
} from '@agentclientprotocol/sdk'
import type { Project } from '#host/project/project.ts'
import { findThread, listAllThreads } from '#host/threads/stored-threads.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { createDirectClient } from '#host/wiring/direct-client.ts'
import { checkpointRows } from '#shared/model/derived/checkpoints.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { RunLine } from '../run-verb.ts'
import { modesOf, optionsOf } from './choices.ts'
import { type KeptSession, keepSessions, projectAt, type SessionRequest } from './kept-sessions.ts'
import { type Meta, movedIn } from './moved.ts'
import type { EditorSession } from './session.ts'

/** Sessions of one page of the list. */
const perPage = 50

/** What an editor can ask of its sessions. */
export interface Sessions {
  find(sessionId: string): KeptSession | undefined
  /** Works with a session, and opens its project for that. Throws `sessionNotFound`, and `HandOver` as `open` does. */
  use<Answer>(sessionId: string, work: (session: EditorSession) => Answer | Promise<Answer>): Promise<Answer>
  /** Remembers a session that another process serves now. Its thread goes on here once that one has let go of it. */
  keep(sessionId: string, request: SessionRequest): void
  /** Begins one, and works with it. `meta` may say that it began in another process. */
  begin<Answer>(meta: Meta, request: SessionRequest, work: (session: EditorSession) => Promise<Answer>): Promise<Answer>
  /** Opens a stored thread. Throws `sessionNotFound` when the folder has none with this id. */
  resume<Answer>(
    id: string,
    request: SessionRequest,
    work: (session: EditorSession) => Promise<Answer>,
  ): Promise<Answer>
  /** Makes a thread with the conversation and files of another one as they are now. Resolves to its id. */
  fork(id: string, request: SessionRequest): Promise<ThreadId>
  list(folder: string | null, cursor: string | null): { readonly sessions: SessionInfo[]; readonly nextCursor?: string }
  close(sessionId: string): Promise<void>
  /** Closes all of them. */
  leave(): Promise<void>
}

export function createSessions(host: Host, runLine: RunLine): Sessions {
  const { kept, add, remove, workWith } = keepSessions(host, runLine)

  return {
    find: (sessionId) => kept.get(sessionId),
    use(sessionId, work) {
      const one = kept.get(sessionId)
      return one ? workWith(one, work) : Promise.reject(RequestError.sessionNotFound(sessionId))
    },
    keep: (sessionId, request) => void add(sessionId, request),
    begin: (meta, request, work) =>
      host.projects.use(async () => {
        await projectAt(host, request)
        const moved = movedIn(meta)
        return workWith(add(moved?.id ?? randomUUID(), request, moved?.choices), work)
      }),
    resume: (id, request, work) =>
      host.projects.use(async () => {
        await requireStored(host, id, request)
        return workWith(add(id, request), work)
      }),
    fork: (id, request) =>
      host.projects.use(async () => {
        const project = await requireStored(host, id, request)
        const [thread] = project.family(id as ThreadId)
        const to = lastCheckpoint(project, id as ThreadId)
        if (!thread || to === undefined) throw RequestError.sessionNotFound(id)
        const { rewind } = createDirectClient(host)
        const title = `${thread.title} (fork)`.slice(0, 200)
        return (await rewind.fork({ projectId: project.info().id, threadId: thread.id, to, title })).threadId
      }),
    list: (folder, cursor) => listSessions(host, folder, cursor),
    async close(sessionId) {
      const one = kept.get(sessionId)
      if (!one) throw RequestError.sessionNotFound(sessionId)
      await one.session?.leave()
      remove(sessionId)
    },
    async leave() {
      await Promise.all([...kept.keys()].map((id) => this.close(id)))
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

async function requireStored(host: Host, id: string, request: SessionRequest): Promise<Project> {
  const project = await projectAt(host, request)
  const { thread } = await findThread(host, id).catch(() => ({ thread: null }))
  if (thread?.id !== id || thread.parent !== null || !project.family(thread.id)[0])
    throw RequestError.sessionNotFound(id)
  return project
}

function listSessions({ options }: Host, folder: string | null, cursor: string | null): ReturnType<Sessions['list']> {
  const { threads } = listAllThreads(options.dataFolder)
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
