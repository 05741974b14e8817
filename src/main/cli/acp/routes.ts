import {
  type ClientConnection,
  type ClientContext,
  type InitializeRequest,
  methods,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk'
import { HandOver } from '../handover/handed-line.ts'
import { attach } from './attach.ts'
import type { KeptSession, SessionRequest } from './kept-sessions.ts'
import { greetingIn, type Meta, movedMeta } from './moved.ts'
import { refusing } from './refusals.ts'
import type { EditorSession } from './session.ts'
import type { Sessions } from './sessions.ts'

/** Where requests of an editor are carried out: here, or by the process that has their project open. */
export interface Routes {
  /** Takes what the editor said first. */
  begin(hello: InitializeRequest): void
  /** Whether the editor tells its text of a file that is not saved. */
  readsBuffers(): boolean
  /** Does something about a session, wherever its project is. */
  at<Answer>(
    sessionId: string,
    here: (session: EditorSession) => Answer | Promise<Answer>,
    there: (other: ClientContext) => Promise<Answer>,
  ): Promise<Answer>
  /** Opens a session. `there` is called when another process has its project open; `idOf` names the session. */
  open<Answer extends { readonly _meta?: Meta }>(
    request: SessionRequest,
    here: () => Promise<Answer>,
    there: (other: ClientContext) => Promise<Answer>,
    idOf: (answer: Answer) => string,
  ): Promise<Answer>
  /** Stops what goes on in a session. */
  cancel(sessionId: string): Promise<void>
}

const notFound = -32002

/**
 * Another process serves a session for as long as one request takes, so that neither waits for the other to end: that
 * process may be a run, which ends with its task.
 */
export function createRoutes(sessions: Sessions): Routes {
  const going = new Map<string, ClientConnection>()
  let hello: InitializeRequest = { protocolVersion: PROTOCOL_VERSION }

  async function elsewhere<Answer>(
    error: unknown,
    { editor }: SessionRequest,
    work: (connection: ClientConnection) => Promise<Answer>,
  ): Promise<Answer> {
    if (!(error instanceof HandOver)) throw error
    const connection = await attach(error, editor, hello)
    try {
      return await work(connection)
    } finally {
      connection.close()
    }
  }
  async function resumeAt({ agent }: ClientConnection, one: KeptSession): Promise<void> {
    const { id: sessionId, cwd, mcpServers } = one
    const _meta = movedMeta(sessionId, one.choices)
    try {
      await agent.request(methods.agent.session.resume, { sessionId, cwd, mcpServers, _meta })
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== notFound) throw error
      // Nothing was said in it yet.
      await agent.request(methods.agent.session.new, { cwd, mcpServers, _meta })
    }
  }
  return {
    begin(said) {
      hello = said
    },
    readsBuffers: () => hello.clientCapabilities?.fs?.readTextFile === true,
    at: (sessionId, here, there) =>
      refusing(async () => {
        try {
          return await sessions.use(sessionId, here)
        } catch (error) {
          const one = sessions.find(sessionId)
          if (!one) throw error
          return elsewhere(error, one, async (connection) => {
            await resumeAt(connection, one)
            going.set(sessionId, connection)
            return there(connection.agent).finally(() => going.delete(sessionId))
          })
        }
      }),
    open: (request, here, there, idOf) =>
      refusing(async () => {
        try {
          return await here()
        } catch (error) {
          const { answer, greeting } = await elsewhere(error, request, async ({ agent }) => {
            const { _meta, ...given } = await there(agent)
            return { answer: given as Awaited<ReturnType<typeof here>>, greeting: greetingIn(_meta) }
          })
          const sessionId = idOf(answer)
          sessions.keep(sessionId, request)
          const { update } = methods.client.session
          for (const one of greeting) setImmediate(() => void request.editor.notify(update, { sessionId, update: one }))
          return answer
        }
      }),
    async cancel(sessionId) {
      sessions.find(sessionId)?.session?.cancel()
      await going.get(sessionId)?.agent.notify(methods.agent.session.cancel, { sessionId })
    },
  }
}
