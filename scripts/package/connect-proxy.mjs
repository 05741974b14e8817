// A proxy for HTTPS on this machine that remembers which hosts were asked for. It is a process of its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'

/** Starts the proxy. `hosts` returns those that were asked for so far, from the file `log`. */
export async function startProxy(log) {
  writeFileSync(log, '')
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), log], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(child.stdout.setEncoding('utf8'), 'data')
  const hosts = () => [...new Set(readFileSync(log, 'utf8').split('\n').filter(Boolean))]
  return { url: `http://127.0.0.1:${port.trim()}`, hosts, close: () => child.kill() }
}

async function serve(log) {
  const server = createServer((_, response) => response.writeHead(501).end())
  server.on('connect', ({ url }, client, head) => {
    const [host, port] = url.split(':')
    appendFileSync(log, `${host}\n`)
    const target = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.write(head)
      target.pipe(client).pipe(target)
    })
    const end = () => {
      client.destroy()
      target.destroy()
    }
    client.on('error', end)
    target.on('error', end)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.stdout.write(`${server.address().port}\n`)
}

if (import.meta.main) await serve(process.argv[2])
