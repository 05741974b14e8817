import { randomUUID } from 'node:crypto'
import {
  type AgentApp,
  type AgentRequestParamsByMethod,
  agent,
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
import type { RunLine } from '../run-verb.ts'
import { greetingMeta, type Meta, movedIn, movedMeta } from './moved.ts'
import { refusing } from './refusals.ts'
import { createRoutes, type Routes } from './routes.ts'
import type { EditorSession } from './session.ts'
import { createSessions, type Sessions, stateOf } from './sessions.ts'

const { session: ask } = methods.agent

/** Not a part of the stable protocol yet. Editors that know it send the same as for a load. */
const forkMethod = 'session/fork'
const forkRequest = z.object({
  sessionId: z.string(),
  cwd: z.string(),
  mcpServers: z.array(z.custom<AgentRequestParamsByMethod[typeof ask.load]['mcpServers'][number]>()).default([]),
  _meta: z.record(z.string(), z.unknown()).nullish(),
})

/** Coppice as the agent of an editor. */
export interface EditorAgent {
  readonly app: AgentApp
  /** Stops what goes on, and closes every session. */
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
  return { app, leave: () => sessions.leave() }
}

/** The requests that begin a session or go on with one. */
function openSessions(app: AgentApp, host: Host, sessions: Sessions, { open, readsBuffers }: Routes): void {
  const goOn = async (session: EditorSession, meta: Meta): Promise<LoadSessionResponse> => {
    const greeting = await session.greeting()
    // Another process of the app passes it on itself. An editor knows the session only after the answer.
    if (movedIn(meta) === null) setImmediate(() => void session.tell(greeting))
    return { ...stateOf(host, session), ...(movedIn(meta) && { _meta: greetingMeta(greeting) }) }
  }
  const begun = async (session: EditorSession, meta: Meta): Promise<NewSessionResponse> => ({
    sessionId: session.id,
    ...(await goOn(session, meta)),
  })
  app
    .onRequest(ask.new, ({ params, client: editor }) => {
      const request = { ...params, editor, readsBuffers: readsBuffers() }
      return open(
        request,
        () => sessions.begin(params._meta, request, (session) => begun(session, params._meta)),
        (other) => other.request(ask.new, { ...params, _meta: movedMeta(randomUUID(), null) }),
        ({ sessionId }) => sessionId,
      )
    })
    .onRequest(ask.load, ({ params, client: editor }) => {
      const request = { ...params, editor, readsBuffers: readsBuffers() }
      const load = async (session: EditorSession): Promise<LoadSessionResponse> => {
        await session.replay()
        return goOn(session, params._meta)
      }
      return open(
        request,
        () => sessions.resume(params.sessionId, request, load),
        (other) => other.request(ask.load, { ...params, _meta: movedMeta(params.sessionId, null) }),
        () => params.sessionId,
      )
    })
    .onRequest(ask.resume, ({ params, client: editor }) => {
      const request = { mcpServers: [], ...params, editor, readsBuffers: readsBuffers() }
      return open(
        request,
        () => sessions.resume(params.sessionId, request, (session) => goOn(session, params._meta)),
        (other) => other.request(ask.resume, { ...params, _meta: movedMeta(params.sessionId, null) }),
        () => params.sessionId,
      )
    })
    .onRequest(
      forkMethod,
      (params) => forkRequest.parse(params),
      ({ params, client: editor }) => {
        const request = { ...params, editor, readsBuffers: readsBuffers() }
        const fork = async () =>
          sessions.resume(await sessions.fork(params.sessionId, request), request, (session) =>
            begun(session, params._meta),
          )
        return open(
          request,
          fork,
          (other) =>
            other.request<NewSessionResponse>(forkMethod, { ...params, _meta: movedMeta(params.sessionId, null) }),
          ({ sessionId }) => sessionId,
        )
      },
    )
    .onRequest(ask.list, ({ params }) => refusing(async () => sessions.list(params.cwd ?? null, params.cursor ?? null)))
}

/** The requests about a session that is open. */
function workInSessions(app: AgentApp, host: Host, sessions: Sessions, { at, cancel }: Routes): void {
  app
    .onRequest(ask.close, ({ params: { sessionId } }) =>
      refusing(async () => {
        await cancel(sessionId)
        await sessions.close(sessionId)
        return {}
      }),
    )
    .onRequest(ask.setMode, ({ params }) =>
      at(
        params.sessionId,
        async (session) => {
          await session.choose('mode', params.modeId)
          return {}
        },
        (other) => other.request(ask.setMode, params),
      ),
    )
    .onRequest(ask.setConfigOption, ({ params }) =>
      at(
        params.sessionId,
        async (session) => {
          await session.choose(params.configId, params.value)
          return { configOptions: stateOf(host, session).configOptions }
        },
        (other) => other.request(ask.setConfigOption, params),
      ),
    )
    .onRequest(ask.prompt, ({ params }) =>
      at(
        params.sessionId,
        async (session) => ({ stopReason: await session.prompt(params.prompt) }),
        (other) => other.request(ask.prompt, params),
      ),
    )
    .onNotification(ask.cancel, ({ params }) => cancel(params.sessionId))
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
