import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openForeignServer } from './foreign-server.testkit.ts'
import { missedReach } from './missed-reach.ts'

const folder = mkdtempSync(join(tmpdir(), 'coppice-missed-'))
const path = join(folder, 'docker.sock')
const nothing = { localPorts: [], sockets: [] }
const servers: Server[] = []
let port: number
let foreign: Awaited<ReturnType<typeof openForeignServer>>

async function listen(place: number | string): Promise<Server> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(place, resolve))
  servers.push(server)
  return server
}

beforeAll(async () => {
  await listen(path)
  foreign = await openForeignServer()
  port = ((await listen(0)).address() as AddressInfo).port
  symlinkSync(path, join(folder, 'link.sock'))
  writeFileSync(join(folder, 'file.sock'), '')
})
afterAll(() => {
  foreign[Symbol.dispose]()
  for (const server of servers) server.close()
})

describe.skipIf(process.platform !== 'linux')('what a command missed of this machine', () => {
  it.each([
    (at: number) => `Error: connect ECONNREFUSED 127.0.0.1:${at}`,
    (at: number) => `Error: connect ECONNREFUSED ::1:${at}`,
    (at: number) => `curl: (7) Failed to connect to localhost port ${at} after 0 ms: Couldn't connect to server`,
    (at: number) =>
      `psql: error: connection to server at "localhost" (127.0.0.1), port ${at} failed: Connection refused`,
    (at: number) => `dial tcp [::1]:${at}: connect: connection refused`,
    (at: number) => `Could not connect to Redis at 127.0.0.1:${at}: Connection refused`,
    (at: number) => `HTTPConnectionPool(host='localhost', port=${at}): Max retries: [Errno 111] Connection refused`,
  ])('is a port where somebody else listens, by the words of clients: %s', async (line) => {
    const at = foreign.port
    expect(await missedReach(`before\n${line(at)}\n`, nothing)).toEqual([`localhost:${at}`])
    expect(await missedReach(line(at), { localPorts: [at], sockets: [] })).toEqual([])
  })

  // Mutation: leave the app's own ports in.
  it('is no port of the app itself, and none where nobody listens', async () => {
    expect(await missedReach(`ECONNREFUSED 127.0.0.1:${port}\nECONNREFUSED 127.0.0.1:1`, nothing)).toEqual([])
  })

  // Mutation: find the path and its end by one expression. A line of a megabyte then takes a quarter of an hour.
  it('is found in lines of any length', async () => {
    const long = '/a'.repeat(500_000)
    const lines = [`refused ${long}`, `refused ${'/agent.1'.repeat(100_000)}x`, `refused ${long} ${path}`]
    expect(await missedReach(lines.join('\n'), nothing)).toEqual([path])
  })

  it('is a socket that is there, by its real path, and no other file', async () => {
    const lines = ['docker.sock', 'link.sock', 'file.sock', 'gone.sock'].map(
      (name) => `Cannot connect to the Docker daemon at unix://${join(folder, name)}. Is it running?`,
    )
    expect(await missedReach(lines.join('\n'), nothing)).toEqual([path])
    expect(await missedReach(lines.join('\n'), { localPorts: [], sockets: [path] })).toEqual([])
  })

  it('is nothing where no line says that it failed', async () => {
    expect(await missedReach(`listening on ${path} and localhost:${port}`, nothing)).toEqual([])
  })
})
