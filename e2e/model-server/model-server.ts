import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { completionChunks, fromCompletion } from './completions.ts'
import { type ServerEvent, streamEvents } from './events.ts'
import { fromGenerate, generated } from './generate.ts'
import { fromResponses, responseEvents } from './responses.ts'
import type { Answer, ApiRequest, Scenario } from './scenario.ts'

/** An API that models are asked by: its requests as scenarios know them, and its reply as lines of a stream. */
interface Protocol {
  readonly path: RegExp
  readonly read: (given: never, path: string) => ApiRequest
  readonly stream: (answer: Answer, id: string, request: ApiRequest) => readonly string[]
}

const protocols: readonly Protocol[] = [
  {
    path: /^\/v1\/messages/,
    read: (given: ApiRequest) => given,
    stream: (answer, id, request) => eventLines(streamEvents(request, answer, id)),
  },
  {
    path: /^\/v1\/chat\/completions/,
    read: fromCompletion,
    stream: (answer, id) =>
      dataLines([...completionChunks(answer, id).map((chunk) => JSON.stringify(chunk)), '[DONE]']),
  },
  {
    path: /^\/v1\/responses/,
    read: fromResponses,
    stream: (answer, id) => eventLines(responseEvents(answer, id)),
  },
  {
    path: /^\/v1beta\/models\/[^:]+:streamGenerateContent/,
    read: fromGenerate,
    stream: (answer, id) => dataLines([JSON.stringify(generated(answer, id))]),
  },
]

/**
 * A model on loopback that answers from a scenario. It speaks the Messages API, chat completions, the Responses API and the
 * Gemini API; real SDKs and agents talk to it.
 */
export interface ModelServer extends AsyncDisposable {
  readonly url: string
  /** Every request so far, in order. */
  readonly requests: readonly ApiRequest[]
  use(scenario: Scenario): void
  /** Calls with the headers of each request from now on. */
  onHeaders(see: (headers: IncomingMessage['headers']) => void): void
}

export async function startModelServer(first: Scenario): Promise<ModelServer> {
  let scenario = first
  const requests: ApiRequest[] = []
  let see: (headers: IncomingMessage['headers']) => void = () => {}
  const asked = new Map<string, number>()
  const server = createServer((request, response) => {
    respond(request, response).catch((error) => response.destroy(error instanceof Error ? error : undefined))
  })

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    see(request.headers)
    if (request.method === 'GET' && request.url?.startsWith('/v1/models')) return sendModels(response)
    const path = request.url ?? ''
    const protocol = protocols.find((one) => one.path.test(path))
    if (request.method !== 'POST' || !protocol) return sendError(response, 404, 'not_found_error', 'Not found')
    const body = protocol.read(JSON.parse(await readAll(request)) as never, path)
    const same = JSON.stringify(body.messages)
    const tries = asked.get(same) ?? 0
    asked.set(same, tries + 1)
    const answer = scenario(body, { count: requests.length, tries })
    requests.push(body)
    if (answer.delayMs) await delay(answer.delayMs)
    await answer.after
    if (answer.fault?.kind === 'status') return sendStatus(response, answer.fault)
    const id = `msg_${requests.length}`
    await stream(response, protocol.stream(answer, id, body), answer)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    use: (next) => {
      scenario = next
    },
    onHeaders: (next) => {
      see = next
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function stream(response: ServerResponse, events: readonly string[], { fault, pauseMs }: Answer): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  for (const [index, event] of events.entries()) {
    if (fault && fault.kind !== 'status' && index === fault.afterEvents) {
      if (fault.kind === 'stall') return
      if (fault.kind === 'cut') {
        response.destroy()
        return
      }
      response.write('event: content_block_delta\ndata: {"type":"content_block_delta","index":\n\n')
    }
    if (pauseMs) await delay(pauseMs)
    if (response.destroyed) return
    response.write(event)
  }
  response.end()
}

function eventLines(events: readonly ServerEvent[]): readonly string[] {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

function dataLines(data: readonly string[]): readonly string[] {
  return data.map((line) => `data: ${line}\n\n`)
}

function sendStatus(
  response: ServerResponse,
  fault: { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> },
): void {
  const { status, body, headers } = fault
  if (body === undefined)
    sendError(response, status, errorTypes[status] ?? 'api_error', `Scripted status ${status}`, headers)
  else response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)
}

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

function sendError(
  response: ServerResponse,
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify({ type: 'error', error: { type, message } }))
}

function sendModels(response: ServerResponse): void {
  const small = { id: 'scripted-1', display_name: 'Scripted 1', max_input_tokens: 32_000 }
  const data = [{ type: 'model', ...small, created_at: '2026-01-01T00:00:00Z' }]
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ data, has_more: false, first_id: 'scripted-1', last_id: 'scripted-1' }))
}
