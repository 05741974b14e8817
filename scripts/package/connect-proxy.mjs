// A proxy for HTTPS on this machine that remembers which hosts were asked for.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'

export async function startProxy() {
  const hosts = new Set()
  const server = createServer((_, response) => response.writeHead(501).end())
  server.on('connect', ({ url }, client, head) => {
    const [host, port] = url.split(':')
    hosts.add(host)
    const target = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.write(head)
      target.pipe(client).pipe(target)
    })
    for (const socket of [client, target]) socket.on('error', () => (client.destroy(), target.destroy()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${server.address().port}`, hosts, close }
}
