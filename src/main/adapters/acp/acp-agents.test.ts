import { expect, it, onTestFinished } from 'vitest'
import type { AgentSession, AgentUpdate } from '#core/ports/programs/external-agent.ts'
import type { JsonObject, JsonValue } from '#shared/base/json.ts'
import { createAcpAgents } from './acp-agents.ts'

const never = new AbortController().signal

/** A session with an agent that is the test itself: it hears what is sent, and says what it wants. */
async function open() {
  const heard: JsonObject[] = []
  let wake = () => {}
  let hear = (_: Uint8Array) => {}
  const say = (message: JsonObject) =>
    hear(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`))
  const next = async (fits: (message: JsonObject) => boolean): Promise<JsonObject> => {
    for (;;) {
      const found = heard.find(fits)
      if (found) return found
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  const request = (method: string) => next((message) => message.method === method)
  const answer = async (method: string, result: JsonObject) =>
    say({ id: (await request(method)).id as JsonValue, result })
  const connecting = createAcpAgents('0').connect(
    {
      listen: (onBytes) => {
        hear = onBytes
      },
      write: (text) => {
        for (const line of text.split('\n').filter(Boolean)) heard.push(JSON.parse(line) as JsonObject)
        wake()
      },
      ended: new Promise(() => {}),
      command: 'agent',
    },
    never,
  )
  await answer('initialize', { protocolVersion: 1, agentCapabilities: {} })
  const connection = await connecting
  onTestFinished(connection.close)
  const opening = connection.newSession({ folder: '/p', folders: [], servers: [] }, never)
  await answer('session/new', { sessionId: 's' })
  const session: AgentSession = await opening
  return {
    session,
    request,
    answer,
    answerTo: (id: number) => next((message) => message.id === id && message.method === undefined),
    askFor: (id: number, toolCallId: string) =>
      say({
        id,
        method: 'session/request_permission',
        params: {
          sessionId: 's',
          toolCall: { toolCallId, title: 'Do it' },
          options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
        },
      }),
  }
}

const cancelled = { result: { outcome: { outcome: 'cancelled' } } }

/** Takes the updates of a turn until one is of this type. */
async function until(turn: AsyncIterator<AgentUpdate>, type: AgentUpdate['type']): Promise<void> {
  while ((await turn.next()).value?.type !== type);
}

/** Mutation: leave out `refuse` where the turn is left, or where it is cancelled. */
it.each(['left', 'cancelled'])(
  'refuses all that the agent asks, also what nobody has taken, when its turn is %s',
  async (how) => {
    const { session, request, askFor, answerTo } = await open()
    const turn = session.prompt([{ type: 'text', text: 'go' }])[Symbol.asyncIterator]()
    const first = until(turn, 'permission')
    await request('session/prompt')
    askFor(101, 'one')
    askFor(102, 'two')
    await first
    if (how === 'left') await turn.return?.()
    else session.cancel()
    expect(await answerTo(101)).toMatchObject(cancelled)
    expect(await answerTo(102)).toMatchObject(cancelled)
  },
)

it('refuses what the agent asks after its turn', async () => {
  const { session, request, answer, askFor, answerTo } = await open()
  const turn = session.prompt([{ type: 'text', text: 'go' }])[Symbol.asyncIterator]()
  const ended = until(turn, 'end')
  await request('session/prompt')
  await answer('session/prompt', { stopReason: 'end_turn' })
  await ended
  await turn.next()
  askFor(101, 'late')
  expect(await answerTo(101)).toMatchObject(cancelled)
})
