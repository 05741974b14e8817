import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpError } from '#core/ports/mcp-client.ts'

/** What a browser brings back from a login. */
export interface Redirect {
  readonly parameters: URLSearchParams
  /** Says in the browser how the login ended. */
  readonly respond: (isDone: boolean) => void
}

/** A page of this machine, to which one browser comes back from one login. */
export interface RedirectListener extends AsyncDisposable {
  /** The address for `redirect_uri`, on 127.0.0.1 (RFC 8252, 7.3). */
  readonly address: string
  /** The first redirect of this login. Never rejects. */
  readonly redirect: Promise<Redirect>
  /**
   * Takes the address at which the browser ended, for a browser on another machine. Throws `McpError` for one that is not of
   * this login.
   */
  answer(address: string): void
}

const path = '/callback'

/**
 * `state` is known to the browser that was sent to this login, and to nobody else. Requests without it are not of this login:
 * any page and any program can send them, so they neither count nor end it. Port 0 takes a free one. Throws `McpError` when
 * the port is taken.
 */
export async function listenForRedirect(port: number, state: string): Promise<RedirectListener> {
  const { promise, resolve } = Promise.withResolvers<Redirect>()
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '', address())
    // A page of another site may give this machine its own name, and then reads what is answered here.
    const isHere = request.method === 'GET' && request.headers.host === new URL(address()).host
    if (!isHere || url?.pathname !== path) return say(response, 404, 'Nothing is here.')
    if (url.searchParams.get('state') !== state)
      return say(response, 400, 'This is not the login that Coppice waits for. Begin it again in Coppice.')
    resolve({
      parameters: url.searchParams,
      respond: (isDone) =>
        isDone
          ? say(response, 200, 'You are logged in. You can close this page and go back to Coppice.')
          : say(response, 400, 'The login did not work. Coppice says why.'),
    })
  })
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo | null)?.port ?? 0}${path}`
  await new Promise<void>((listening, failed) => {
    server.once('error', ({ message }) => failed(new McpError('login', `No login can be received here: ${message}.`)))
    server.listen(port, '127.0.0.1', () => listening())
  })
  return {
    address: address(),
    redirect: promise,
    answer(text) {
      const url = URL.parse(text.trim())
      if (url?.searchParams.get('state') !== state)
        throw new McpError(
          'login',
          'This is not the address that this login ends at. Copy it from the browser, whole: it begins with http://127.0.0.1.',
        )
      resolve({ parameters: url.searchParams, respond: () => undefined })
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((done) => server.close(() => done()))
      server.closeIdleConnections()
      // A browser keeps its connection, and what it was told is on its way.
      setImmediate(() => server.closeAllConnections())
      await closed
    },
  }
}

function say(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  })
  response.end(
    `<!doctype html><html lang="en"><title>Coppice</title><body style="font: 16px system-ui; margin: 3rem"><p>${sentence}</p></body></html>`,
  )
}
