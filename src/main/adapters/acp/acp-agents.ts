import { pathToFileURL } from 'node:url'
import {
  type ClientContext,
  client,
  type InitializeResponse,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk'
import {
  type AgentCommand,
  type AgentConnection,
  type AgentInfo,
  type AgentSession,
  type AgentUpdate,
  ExternalAgentError,
  type ExternalAgents,
  type PromptPart,
  type SessionRequest,
} from '#core/ports/programs/external-agent.ts'
import { isJsonObject, type JsonObject } from '#shared/base/json.ts'
import { createKnownCalls, type KnownCalls } from './known-calls.ts'
import { protocolLines } from './protocol-lines.ts'
import { readLogins } from './read-logins.ts'
import { joinUpdates, readCommands, readUpdate } from './read-updates.ts'
import { createAllChoices } from './session-choices.ts'
import { createTurnQueue, type TurnQueue } from './turn-queue.ts'

/**
 * External agents by the Agent Client Protocol, version 1. The app offers neither its files nor terminals: the agent has
 * hands of its own, in a view of its branch, and what it changes there is found however it did that.
 */
export function createAcpAgents(version: string): ExternalAgents {
  return {
    async connect(streams, signal) {
      const open = new Map<string, OpenSession>()
      const early = new Map<string, readonly JsonObject[]>()
      const lines = protocolLines(streams, ({ sessionId, update }) => {
        const id = String(sessionId)
        if (!isJsonObject(update)) return
        const session = open.get(id)
        if (session) session.take(update)
        // It may tell of a session before anybody has read that there is one.
        else early.set(id, [...(early.get(id) ?? []), update].slice(-mostEarly))
      })
      const connection = client({ name: 'coppice' })
        .onRequest(methods.client.session.requestPermission, ({ params, signal: gone }) => {
          const session = open.get(params.sessionId)
          return session ? session.ask(params, gone) : { outcome: { outcome: 'cancelled' } }
        })
        .connect(ndJsonStream(lines.writable, lines.readable))
      let logins: AgentInfo['logins'] = []
      const close = () => connection.close()
      const ended = streams.ended.then((why) => {
        const text = [why, lines.said()].filter(Boolean).join(' ')
        throw new ExternalAgentError('ended', `The agent ended before it answered. ${text}`)
      })
      ended.catch(close)
      const ask: Connected['ask'] = (request, given) =>
        Promise.race([request, ended, ...(given ? [rejectsWith(given)] : [])]).catch((error) => explain(error, logins))
      const greeting = connection.agent.request(
        methods.agent.initialize,
        {
          protocolVersion: PROTOCOL_VERSION,
          clientCapabilities: {
            ...{ fs: { readTextFile: false, writeTextFile: false }, terminal: false },
            // A person has a terminal, whatever the agent has.
            ...{ auth: { terminal: true }, _meta: { 'terminal-auth': true } },
          },
          clientInfo: { name: 'coppice', title: 'Coppice', version },
        },
        { cancellationSignal: signal },
      )
      const info = infoOf(await ask(greeting, signal).catch(closing(close)), streams.command)
      logins = info.logins
      if (info.protocolVersion !== PROTOCOL_VERSION) {
        close()
        const text = `The agent speaks version ${info.protocolVersion} of the Agent Client Protocol, and Coppice speaks version ${PROTOCOL_VERSION}. Install another version of one of them.`
        throw new ExternalAgentError('protocol', text)
      }
      return connectionOf({ agent: connection.agent, open, early, ask, info, close })
    },
  }
}

const mostEarly = 20

interface Connected {
  readonly agent: ClientContext
  readonly open: Map<string, OpenSession>
  /** Updates of sessions that are not open yet. */
  readonly early: Map<string, readonly JsonObject[]>
  /** Waits for an answer, for the end of the program, or for the abort. */
  readonly ask: <Answer>(request: Promise<Answer>, signal?: AbortSignal) => Promise<Answer>
  readonly info: AgentInfo & Pick<InitializeResponse, 'agentCapabilities'>
  readonly close: () => void
}

function connectionOf({ agent, open, early, ask, info, close }: Connected): AgentConnection {
  const begin = (id: string): OpenSession => {
    const session = openSession({ id, agent, ask })
    for (const update of early.get(id) ?? []) session.take(update)
    early.delete(id)
    open.set(id, session)
    return session
  }
  const given = ({ folder, folders, servers }: SessionRequest) => ({
    cwd: folder,
    ...(info.agentCapabilities?.sessionCapabilities?.additionalDirectories && { additionalDirectories: [...folders] }),
    mcpServers: servers.map(({ name, command, args }) => ({ name, command, args: [...args], env: [] })),
  })
  const { loadSession = false, sessionCapabilities } = info.agentCapabilities ?? {}
  return {
    info,
    close,
    async newSession(request, signal) {
      const answer = await ask<NewSessionResponse>(agent.request(methods.agent.session.new, given(request)), signal)
      const session = begin(answer.sessionId)
      session.readChoices(asJson(answer))
      return session.session
    },
    async resumeSession(sessionId, request, signal) {
      const method = sessionCapabilities?.resume ? methods.agent.session.resume : methods.agent.session.load
      if (method === methods.agent.session.load && !loadSession) return null
      try {
        const session = begin(sessionId)
        const answer = await ask<unknown>(agent.request(method, { sessionId, ...given(request) }), signal)
        session.readChoices(asJson(answer ?? {}))
        return session.session
      } catch (error) {
        open.delete(sessionId)
        if (signal.aborted) throw signal.reason
        if (error instanceof ExternalAgentError && error.code !== 'failed') throw error
        return null
      }
    },
  }
}

function infoOf(hello: InitializeResponse, command: string): Connected['info'] {
  const { agentInfo, agentCapabilities, protocolVersion } = hello
  const { loadSession = false, promptCapabilities, sessionCapabilities } = agentCapabilities ?? {}
  return {
    name: agentInfo?.title || agentInfo?.name || '',
    version: agentInfo?.version ?? '',
    protocolVersion,
    keepsSessions: loadSession || sessionCapabilities?.resume != null,
    takesImages: promptCapabilities?.image ?? false,
    logins: readLogins(asJson(hello).authMethods, command),
    ...(agentCapabilities && { agentCapabilities }),
  }
}

interface OpenSession {
  readonly session: AgentSession
  /** Takes what the agent offers to choose from. */
  readChoices(said: JsonObject): void
  take(update: JsonObject): void
  ask(question: RequestPermissionRequest, gone: AbortSignal): Promise<RequestPermissionResponse>
}

interface SessionParts extends Pick<Connected, 'agent' | 'ask'> {
  readonly id: string
}

function openSession({ id, agent, ask }: SessionParts): OpenSession {
  const calls: KnownCalls = createKnownCalls()
  const choices = createAllChoices()
  let commands: readonly AgentCommand[] = []
  let turn: TurnQueue<AgentUpdate> | null = null
  let isCancelled = false
  let answered: Promise<unknown> = Promise.resolve()
  /** Say no to what the agent waits for. */
  const refusals = new Set<() => void>()
  const refuse = () => {
    for (const one of refusals) one()
  }
  return {
    readChoices: choices.read,
    session: {
      id,
      choices: choices.choices,
      choose: (kind, choice, signal) => ask(choices.choose(kind, agent, id, choice), signal),
      calls: calls.all,
      commands: () => commands,
      async *prompt(parts) {
        const queue = createTurnQueue<AgentUpdate>(joinUpdates)
        turn = queue
        isCancelled = false
        calls.forgetTurn()
        answered = ask<PromptResponse>(
          agent.request(methods.agent.session.prompt, { sessionId: id, prompt: parts.map(blockOf) }),
        ).then(
          ({ stopReason }) => {
            queue.put({ type: 'end', reason: stopReason })
            queue.close()
          },
          (error: unknown) => queue.close(error),
        )
        try {
          yield* queue
        } finally {
          if (turn === queue) turn = null
          refuse()
        }
      },
      whenIdle: async () => void (await answered),
      cancel() {
        isCancelled = true
        void agent.notify(methods.agent.session.cancel, { sessionId: id }).catch(() => undefined)
        refuse()
      },
    },
    take(update) {
      commands = readCommands(update) ?? commands
      choices.read(update)
      // What an agent tells while it takes up an old session is in the journal already.
      for (const told of turn ? readUpdate(update, calls) : []) turn?.put(told)
    },
    ask({ toolCall, options }, gone) {
      const queue = turn
      const { promise, resolve } = Promise.withResolvers<RequestPermissionResponse>()
      const answer = (optionId: string | null) => {
        refusals.delete(refusal)
        resolve({ outcome: optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } })
      }
      const refusal = () => answer(null)
      refusals.add(refusal)
      gone.addEventListener('abort', refusal, { once: true })
      const call = calls.take(asJson(toolCall))
      const offered = options.map(({ optionId, name, kind }) => ({ id: optionId, name, kind }))
      if (queue && call && !isCancelled) queue.put({ type: 'permission', call, options: offered, answer, gone })
      else answer(null)
      return promise
    },
  }
}

function blockOf(part: PromptPart) {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text } as const
    case 'image':
      return { type: 'image', mimeType: part.mediaType, data: part.data } as const
    case 'file':
      return { type: 'resource_link', name: part.name, uri: pathToFileURL(part.path).href } as const
  }
}

/** What the library hands on as objects of its own types. */
function asJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}

/** By the protocol, the error of a request that needs a login. */
const loginNeeded = -32000

function explain(error: unknown, logins: AgentInfo['logins']): never {
  if (error instanceof ExternalAgentError) throw error
  if (!(error instanceof Error)) throw new ExternalAgentError('failed', String(error))
  if (error instanceof RequestError && error.code === loginNeeded)
    throw new ExternalAgentError(
      'login',
      [`The agent is not logged in: ${error.message}.`, ...howToLogIn(logins)].join(' '),
    )
  throw new ExternalAgentError('failed', detailed(error))
}

function howToLogIn(logins: AgentInfo['logins']): readonly string[] {
  const commands = logins.flatMap(({ command }) => command ?? [])
  if (commands.length > 0) return [`Log in in a terminal, then send it again: ${commands.join(' or ')}`]
  const ways = logins.map(({ text }) => text).join('; ')
  return ways === '' ? ['Log in with its own program, then send it again.'] : [`It offers: ${ways}.`]
}

/** Many agents say only "Internal error", and what happened beside it. */
function detailed(error: Error): string {
  const data: unknown = error instanceof RequestError ? error.data : undefined
  const more = typeof data === 'string' ? data : data === undefined ? '' : JSON.stringify(data)
  return [error.message, more.slice(0, 1_000)].filter(Boolean).join(': ')
}

function closing(close: () => void) {
  return (error: unknown): never => {
    close()
    throw error
  }
}

function rejectsWith(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
