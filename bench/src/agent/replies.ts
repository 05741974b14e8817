import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { createAnthropicClient } from '../../../src/main/adapters/anthropic/anthropic-client.ts'
import { factsOf } from '../../../src/main/adapters/model-http/model-facts.testkit.ts'
import { createOpenAiClient } from '../../../src/main/adapters/openai/openai-client.ts'
import type { ModelClient, ModelRequest } from '../../../src/main/core/ports/model-client.ts'
import { createDialect, type ModelServer } from '../../../src/main/core/ports/model-server.ts'
import { isQuick } from '../support/flags.ts'
import { type Sample, sideBySide } from '../support/measure.ts'
import { type Row, versus } from '../support/report.ts'

/** Events of one streamed reply. */
const eventsOfReply = 1_000
const repliesOfRun = 20

interface ReplyFigures {
  readonly format: string
  /** Milliseconds of processor time of this process for one reply: through the adapter, and through the SDK alone. */
  readonly coppice: Sample
  readonly peer: Sample
}

const request: ModelRequest = {
  ...{ model: 'm1', system: '', tools: [], maxTokens: 1_000, temperature: null, effort: null },
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
}

/** What a streamed reply costs, in each format. */
export async function replyRows(): Promise<readonly Row[]> {
  const figures = await measureReplies(isQuick ? 5 : 15)
  return figures.map(({ format, coppice, peer }) => ({
    operation: `reply of ${eventsOfReply.toLocaleString('en')} events by ${format}: processor time`,
    unit: 'ms',
    coppice,
    ...versus('the SDK alone', peer, 1.05),
  }))
}

/** What a reply costs over the SDK alone. The server is a process of its own, so that its time does not count. */
async function measureReplies(runs: number): Promise<readonly ReplyFigures[]> {
  const server = fork(join(import.meta.dirname, 'reply-server.ts'), [String(eventsOfReply)])
  try {
    const [port] = (await once(server, 'message')) as [number]
    const address = `http://127.0.0.1:${port}`
    const messages = new Anthropic({ apiKey: 'k', baseURL: address, maxRetries: 0, logLevel: 'off' })
    const completions = new OpenAI({ apiKey: 'k', baseURL: `${address}/v1`, maxRetries: 0, logLevel: 'off' })
    const messagesAsked: { role: 'user'; content: string }[] = [{ role: 'user', content: 'Hello' }]
    const bare = { model: 'm1', max_tokens: 1_000, messages: messagesAsked, stream: true as const }
    return [
      {
        format: 'the Messages API',
        ...(await compare(runs, createAnthropicClient(serverAt(address)), () => messages.messages.create(bare))),
      },
      {
        format: 'chat completions',
        ...(await compare(runs, createOpenAiClient(serverAt(`${address}/v1`)), () =>
          completions.chat.completions.create(bare),
        )),
      },
    ]
  } finally {
    server.kill()
  }
}

function serverAt(address: string): ModelServer {
  return {
    ...{ profile: 'bench', dialect: createDialect(), factsOf: (id) => factsOf(id) },
    address: () => address,
    headers: async () => ({ 'x-api-key': 'k' }),
  }
}

function compare(runs: number, client: ModelClient, open: () => PromiseLike<AsyncIterable<unknown>>) {
  return sideBySide(
    () => processorTime(async () => drain(client.stream(request, new AbortController().signal))),
    () => processorTime(async () => drain(await open())),
    { runs, warmUps: 2 },
  )
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

/** Milliseconds of processor time for each of several replies. */
async function processorTime(act: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  for (let reply = 0; reply < repliesOfRun; reply += 1) await act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / repliesOfRun
}
