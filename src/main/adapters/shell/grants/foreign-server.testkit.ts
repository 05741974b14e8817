import { spawn } from 'node:child_process'
import { once } from 'node:events'

const listens = `
  const server = require('node:net').createServer((socket) => socket.on('data', (line) => socket.end('port ' + line)))
  server.listen(0, () => console.log(process.pid + ' ' + server.address().port))
`

/** A server on a port of this machine that is no process below this one. It answers with `port` and what it is sent. */
export async function openForeignServer(): Promise<Disposable & { readonly port: number }> {
  const shell = spawn('sh', ['-c', '"$0" -e "$1" &', process.execPath, listens], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [[line]] = await Promise.all([once(shell.stdout, 'data') as Promise<[Buffer]>, once(shell, 'exit')])
  const [pid, port] = String(line).split(' ').map(Number)
  if (!pid || !port) throw new Error(`The server said: ${String(line)}`)
  return { port, [Symbol.dispose]: () => void process.kill(pid) }
}
