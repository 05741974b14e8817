import {
  type AgentApp,
  type AgentContext,
  type AgentRequestParamsByMethod,
  agent,
  type ClientConnection,
  type InitializeRequest,
  type InitializeResponse,
  type LoadSessionResponse,
  methods,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk'
import { z } from 'zod'
import type { Host } from '#host/wiring/create-host.ts'
import { appVersion } from '../app-paths.ts'
import { HandOver } from '../handover/handed-line.ts'
import { attach } from './attach.ts'
import { asRequestError } from './refusals.ts'
import type { RunLine } from './run-verb.ts'
import type { EditorSession } from './session.ts'
import { createSessions, type Sessions, stateOf } from './sessions.ts'

const { session: ask } = methods.agent

/** Not a part of the stable protocol yet. Editors that know it send the same as for a load. */
const forkMethod = 'session/fork'
const forkRequest = z.object({
  sessionId: z.string(),
  cwd: z.string(),
  mcpServers: z.array(z.custom<AgentRequestParamsByMethod[typeof ask.load]['mcpServers'][number]>()).default([]),
})

/** Coppice as the agent of an editor. */
export interface EditorAgent {
  readonly app: AgentApp
  /** Stops what goes on, closes every session, and lets go of other processes. */
  leave(): Promise<void>
}

export function createEditorAgent(host: Host, runLine: RunLine): EditorAgent {
  const sessions = createSessions(host, runLine)
  const routes = createRoutes(sessions)
  const app = agent({ name: 'coppice' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      routes.begin(params)
      return welcome()
    })
    .onRequest(methods.agent.authenticate, () =>
      refusing(async () => {
        const problem = host.provider.findProblem(host.settings.read().model)
        if (problem !== null) throw RequestError.authRequired(undefined, problem)
        return {}
      }),
    )
  openSessions(app, host, sessions, routes)
  workInSessions(app, host, sessions, routes)
  return {
    app,
    async leave() {
      for (const connection of routes.elsewhere.values()) connection.close()
      await sessions.leave()
    },
  }
}

/** Where the sessions of an editor are served: here, or by the process that has their project open. */
interface Routes {
  /** Takes what the editor said first. */
  begin(hello: InitializeRequest): void
  readonly elsewhere: Map<string, ClientConnection>
  /** Does something about a session, wherever it is. */
  at<Answer>(
    sessionId: string,
    here: (session: EditorSession) => Answer | Promise<Answer>,
    there: (connection: ClientConnection) => Promise<Answer>,
  ): Promise<Answer>
  /** Opens a session. `there` is called when another process has its project open; `idOf` names the session. */
  open<Answer extends object>(
    editor: AgentContext,
    here: () => Promise<Answer>,
    there: (connection: ClientConnection) => Promise<Answer>,
    idOf: (answer: Answer) => string,
  ): Promise<Answer>
}

function createRoutes(sessions: Sessions): Routes {
  const elsewhere: Routes['elsewhere'] = new Map()
  let hello: InitializeRequest = { protocolVersion: PROTOCOL_VERSION }
  return {
    elsewhere,
    begin(said) {
      hello = said
    },
    at: (sessionId, here, there) =>
      refusing(async () => {
        const connection = elsewhere.get(sessionId)
        return connection ? there(connection) : here(sessions.get(sessionId))
      }),
    open(editor, here, there, idOf) {
      return refusing(async () => {
        try {
          return await here()
        } catch (error) {
          if (!(error instanceof HandOver)) throw error
          const connection = await attach(error, editor, hello)
          const answer = await there(connection)
          const id = idOf(answer)
          elsewhere.set(id, connection)
          void connection.closed.then(() => elsewhere.delete(id))
          return answer
        }
      })
    },
  }
}

/** The requests that begin a session or go on with one. */
function openSessions(app: AgentApp, host: Host, sessions: Sessions, { open }: Routes): void {
  /** After the answer: an editor knows the session only then. */
  const greet = (session: EditorSession): void => void setImmediate(() => void session.greet().catch(() => undefined))
  const began = (session: EditorSession): NewSessionResponse => {
    greet(session)
    return { sessionId: session.id, ...stateOf(host, session) }
  }
  const goOn = (session: EditorSession): LoadSessionResponse => {
    greet(session)
    return stateOf(host, session)
  }
  app
    .onRequest(ask.new, ({ params, client }) =>
      open(
        client,
        async () => began(await sessions.begin(params.cwd, params.mcpServers, client)),
        ({ agent: other }) => other.request(ask.new, params),
        ({ sessionId }) => sessionId,
      ),
    )
    .onRequest(ask.load, ({ params, client }) =>
      open(
        client,
        async () => {
          const session = await sessions.resume(params.sessionId, params.cwd, params.mcpServers, client)
          await session.replay()
          return goOn(session)
        },
        ({ agent: other }) => other.request(ask.load, params),
        () => params.sessionId,
      ),
    )
    .onRequest(ask.resume, ({ params, client }) =>
      open(
        client,
        async () => goOn(await sessions.resume(params.sessionId, params.cwd, params.mcpServers ?? [], client)),
        ({ agent: other }) => other.request(ask.resume, params),
        () => params.sessionId,
      ),
    )
    .onRequest(
      forkMethod,
      (params) => forkRequest.parse(params),
      ({ params, client }) =>
        open(
          client,
          async () => began(await sessions.fork(params.sessionId, params.cwd, params.mcpServers, client)),
          ({ agent: other }) => other.request<NewSessionResponse>(forkMethod, params),
          ({ sessionId }) => sessionId,
        ),
    )
    .onRequest(ask.list, ({ params }) => refusing(async () => sessions.list(params.cwd ?? null, params.cursor ?? null)))
}

/** The requests about a session that is open. */
function workInSessions(app: AgentApp, host: Host, sessions: Sessions, { at, elsewhere }: Routes): void {
  app
    .onRequest(ask.close, ({ params: { sessionId } }) =>
      at(
        sessionId,
        async () => {
          await sessions.close(sessionId)
          return {}
        },
        async (connection) => {
          connection.close()
          return {}
        },
      ),
    )
    .onRequest(ask.setMode, ({ params }) =>
      at(
        params.sessionId,
        async (session) => {
          await session.choose('mode', params.modeId)
          return {}
        },
        ({ agent: other }) => other.request(ask.setMode, params),
      ),
    )
    .onRequest(ask.setConfigOption, ({ params }) =>
      at(
        params.sessionId,
        async (session) => {
          await session.choose(params.configId, params.value)
          return { configOptions: stateOf(host, session).configOptions }
        },
        ({ agent: other }) => other.request(ask.setConfigOption, params),
      ),
    )
    .onRequest(ask.prompt, ({ params }) =>
      at(
        params.sessionId,
        async (session) => ({ stopReason: await session.prompt(params.prompt) }),
        ({ agent: other }) => other.request(ask.prompt, params),
      ),
    )
    .onNotification(ask.cancel, ({ params }) => {
      const connection = elsewhere.get(params.sessionId)
      if (connection) return connection.agent.notify(ask.cancel, params)
      if (sessions.has(params.sessionId)) sessions.get(params.sessionId).cancel()
      return undefined
    })
}

/** What Coppice can do, and what to do where no model can be asked. */
function welcome(): InitializeResponse {
  const nothing = {}
  const sessionCapabilities = { list: nothing, resume: nothing, close: nothing, fork: nothing }
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'coppice', title: 'Coppice', version: appVersion() },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true },
      sessionCapabilities,
    },
    authMethods: [
      {
        id: 'key',
        name: 'A key for a model',
        description:
          'Set ANTHROPIC_API_KEY in the environment that your editor gives to Coppice, or open Coppice and add a key or a profile under Settings → Models.',
      },
    ],
  }
}

/** Passes on what goes wrong in words of the protocol. */
async function refusing<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    throw asRequestError(error)
  }
}
