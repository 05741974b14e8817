import type { FetchLike } from '@modelcontextprotocol/client'
import { outgoingFetch } from '#adapters/system/outgoing/outgoing.ts'
import { McpError } from '#core/ports/mcp-client.ts'
import { shownHost } from './shown-host.ts'

/** Bytes of one answer. What an authorization server says of itself is a few thousand. */
const maxAnswer = 512 * 1024
/** Milliseconds for one answer. */
const answerMs = 15_000
const maxRedirects = 5

/**
 * Why a login of a server must not go to this address; undefined when it may. Codes and tokens travel encrypted, and a server
 * somewhere else names no address of this machine, where programs trust whoever asks.
 */
export function addressProblem(to: URL, server: URL): string | undefined {
  if (isOwnMachine(to)) {
    if (isOwnMachine(server)) return /^https?:$/.test(to.protocol) ? undefined : notWeb(to)
    return `Its login leads to ${shownHost(to)}, which is this machine, although the server is not here.`
  }
  if (to.protocol === 'https:') return undefined
  return to.protocol === 'http:' ? `Its login leads to ${shownHost(to)} without encryption.` : notWeb(to)
}

function notWeb(to: URL): string {
  return `Its login leads to an address of the kind ${JSON.stringify(to.protocol)}, which is no web page.`
}

function isOwnMachine({ hostname }: URL): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\]|\[::ffff:.*\])\.?$/.test(hostname)
}

/**
 * The requests of a login to a server. They are refused where they must not go, are redirected within their origin only and
 * never with a code or a token, and end at a limit of time and size. Throws `McpError`, and the reason of `signal`.
 */
export function createLoginFetch(server: URL, signal: AbortSignal): FetchLike {
  return async (url, init) => {
    let to = new URL(url)
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const problem = addressProblem(to, server)
      if (problem !== undefined) throw new McpError('login', problem)
      const limits = [signal, AbortSignal.timeout(answerMs), ...(init?.signal ? [init.signal] : [])]
      const response = await outgoingFetch(to, { ...init, redirect: 'manual', signal: AbortSignal.any(limits) })
      const location = response.headers.get('location')
      if (response.status < 300 || response.status > 399 || location === null) return bounded(response)
      const next = URL.parse(location, to)
      const isPlain = (init?.method ?? 'GET') === 'GET' && next?.origin === to.origin
      if (!next || !isPlain)
        throw new McpError('login', `Its login is sent from ${shownHost(to)} to another place, which is not followed.`)
      to = next
    }
    throw new McpError('login', `Its login is sent from one address of ${shownHost(to)} to the next without end.`)
  }
}

async function bounded(response: Response): Promise<Response> {
  const { status, statusText, headers } = response
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > maxAnswer) throw new McpError('login', `Its login answered with more than ${maxAnswer} bytes.`)
    parts.push(part)
  }
  const hasBody = ![101, 204, 205, 304].includes(status)
  return new Response(hasBody ? Buffer.concat(parts) : null, { status, statusText, headers })
}
