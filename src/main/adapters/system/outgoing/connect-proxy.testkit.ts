import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

/** A proxy that leads every host to one port of this machine, and asks for a login when it is given one. */
export interface ConnectProxy extends AsyncDisposable {
  readonly port: number
  /** Each request, as `CONNECT host:port` or as `GET http://host/path`. */
  readonly asked: readonly string[]
}

export async function openConnectProxy(target: number, login?: string): Promise<ConnectProxy> {
  const asked: string[] = []
  const isAllowed = (headers: IncomingHttpHeaders) =>
    login === undefined || headers['proxy-authorization'] === `Basic ${Buffer.from(login).toString('base64')}`
  const server = createServer(({ method, url, headers }, response) => {
    asked.push(`${method} ${url}`)
    if (!isAllowed(headers)) return response.writeHead(407).end()
    return response.end('through the proxy')
  })
  server.on('connect', ({ url, headers }, socket, head) => {
    asked.push(`CONNECT ${url}`)
    if (!isAllowed(headers)) return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const to = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      to.write(head)
      to.pipe(socket).pipe(to)
    })
    for (const end of [to, socket]) end.on('error', () => {})
    return to
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
