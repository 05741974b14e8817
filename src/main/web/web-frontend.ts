import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { createRendererFiles, securityHeaders } from '#host/app/renderer-files.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { createBoundedServer } from './bounded-server.ts'
import { mayEnter, type OriginPolicy, originPolicyFor, sameToken } from './security.ts'
import { attachSocket } from './socket.ts'

export interface WebFrontendOptions {
  readonly host: Host
  readonly rendererFolder: string
  readonly address: string
  /** 0 takes any free port. */
  readonly port: number
}

export interface WebFrontend extends AsyncDisposable {
  /** Contains the token in its fragment, which appears in no request and no proxy log. */
  readonly url: string
  readonly port: number
}

/** Serves the renderer and the contract on a loopback port. Rejects with `EADDRINUSE` when the port is taken. */
export async function startWebFrontend(options: WebFrontendOptions): Promise<WebFrontend> {
  const token = randomBytes(32).toString('base64url')
  let door: OriginPolicy = { hosts: new Set(), origins: new Set() }
  const app = createApp(options, token, () => door)
  const server = await listen(app, options)
  const { port } = server.address() as AddressInfo
  door = originPolicyFor(options.address, port)
  const sockets = attachSocket(server, options.host.router, () => door, token)
  const shown = options.address.includes(':') ? `[${options.address}]` : options.address
  return {
    url: `http://${shown}:${port}/#token=${token}`,
    port,
    async [Symbol.asyncDispose]() {
      sockets[Symbol.dispose]()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function createApp({ rendererFolder, host }: WebFrontendOptions, token: string, door: () => OriginPolicy): Hono {
  const files = createRendererFiles(rendererFolder)
  const app = new Hono()
  app.use(async (context, next) => {
    const { host: name, origin } = context.req.header()
    if (!mayEnter(door(), { host: name, origin }, false)) return context.text('Forbidden', 403, { ...securityHeaders })
    await next()
    for (const [header, value] of Object.entries(securityHeaders)) context.header(header, value)
  })
  app.get('/status', (context) => {
    if (!sameToken(`Bearer ${token}`, context.req.header('authorization'))) return context.text('Unauthorized', 401)
    return context.json({ version: host.options.version })
  })
  app.get('*', (context) => {
    const file = files(new URL(context.req.url).pathname)
    if (!file) return context.text('Not found', 404)
    const cache = file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache'
    return context.body(file.bytes, 200, { 'content-type': file.type, 'cache-control': cache })
  })
  app.all('*', (context) => context.text('Method not allowed', 405))
  return app
}

function listen(app: Hono, { address, port }: WebFrontendOptions): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createBoundedServer(getRequestListener(app.fetch))
    server.once('error', reject)
    server.listen(port, address, () => resolve(server))
  })
}
