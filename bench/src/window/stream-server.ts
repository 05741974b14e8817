import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { type ServerEvent, streamEvents } from '../../../e2e/model-server/events.ts'
import type { Answer, ApiRequest } from '../../../e2e/model-server/scenario.ts'
import { pacedTokens } from './token-stream.ts'

/** The text of a model, and its speed in tokens per second. */
export interface Speech {
  readonly text: string
  readonly perSecond: number
}

/** Milliseconds since the Unix epoch. */
export interface Span {
  readonly from: number
  readonly to: number
}

/**
 * A model that speaks at an even rate, and a server for the pages of peers. Peers get the same speech at `/stream`,
 * with one token for each event.
 */
export interface StreamServer extends AsyncDisposable {
  readonly url: string
  /** Sets the answer to the next requests. An `Answer` is sent at once, a `Speech` token by token. */
  answer(next: (request: ApiRequest) => Speech | Answer): void
  /** Serves a page for a peer. Returns its address. */
  page(name: string, html: string): string
  /** The time from the first to the last token since the last call of `answer`. */
  spoken(): Span
}

export async function startStreamServer(): Promise<StreamServer> {
  let answerTo: (request: ApiRequest) => Speech | Answer = () => ({ text: 'Nothing was asked for.' })
  let span: Span = { from: Number.POSITIVE_INFINITY, to: 0 }
  const pages = new Map<string, string>()
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy())
  })

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    const page = pages.get(path)
    if (page) response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
    else if (path.startsWith('/v1/models')) sendModels(response)
    else if (path === '/stream') await speak(response, emptyRequest, answerTo(emptyRequest))
    else if (path.startsWith('/v1/messages')) {
      const body = JSON.parse(await readAll(request)) as ApiRequest
      await speak(response, body, answerTo(body))
    } else response.writeHead(404).end()
  }

  async function speak(response: ServerResponse, request: ApiRequest, answer: Speech | Answer): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    if (!isSpeech(answer)) {
      for (const event of streamEvents(request, answer, `msg_${performance.now()}`)) write(response, event)
      response.end()
      return
    }
    const [before, after] = aroundText(request)
    for (const event of before) write(response, event)
    span = { ...span, from: Math.min(span.from, Date.now()) }
    await pacedTokens(answer.text, answer.perSecond, (tokens) => {
      response.write(tokens.map((token) => line(deltaOf(token))).join(''))
    })
    span = { ...span, to: Math.max(span.to, Date.now()) }
    for (const event of after) write(response, event)
    response.end()
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    answer(next) {
      answerTo = next
      span = { from: Number.POSITIVE_INFINITY, to: 0 }
    },
    page(name, html) {
      pages.set(`/${name}`, html)
      return `${url}/${name}`
    },
    spoken: () => span,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function isSpeech(answer: Speech | Answer): answer is Speech {
  return 'perSecond' in answer
}

const emptyRequest: ApiRequest = { model: 'scripted-1', messages: [] }

/** The events of an empty answer, before and after the place of its text. */
function aroundText(request: ApiRequest): readonly [readonly ServerEvent[], readonly ServerEvent[]] {
  const events = streamEvents(request, { text: '' }, `msg_${performance.now()}`)
  const stop = events.findIndex(({ type }) => type === 'content_block_stop')
  return [events.slice(0, stop), events.slice(stop)]
}

function deltaOf(text: string): ServerEvent {
  return { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }
}

function write(response: ServerResponse, event: ServerEvent): void {
  response.write(line(event))
}

function line(event: ServerEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** So large that nothing of a long thread is summarised. */
const contextWindow = 100_000_000

function sendModels(response: ServerResponse): void {
  const model = { type: 'model', id: 'scripted-1', display_name: 'Scripted 1', created_at: '2026-01-01T00:00:00Z' }
  const data = [{ ...model, max_input_tokens: contextWindow }]
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ data, has_more: false, first_id: 'scripted-1', last_id: 'scripted-1' }))
}
