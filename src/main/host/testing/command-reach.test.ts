import { mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openForeignServer } from '#adapters/shell/grants/foreign-server.testkit.ts'
import { openSandbox } from '#adapters/shell/open-sandbox.ts'
import { type LocalReach, type RunningCommand, type ShellRequest, type Talk, talkVariable } from '#core/ports/shell.ts'
import { type CommandsWorld, openCommandsWorld } from './commands-world.testkit.ts'
import { openTestHost } from './test-host.testkit.ts'

const here = await openSandbox([])
const { state, reason } = here.state
await here[Symbol.asyncDispose]()
if (state !== 'on') console.warn(`SKIPPED: ports and sockets of the machine in the sandbox, ${state} here: ${reason}`)

const noEnd = new AbortController().signal
const nothing: LocalReach = { localPorts: [], sockets: [] }
let world: CommandsWorld
let reach = nothing
const servers: Server[] = []

/** Answers with its name before what it is sent. */
async function serve(place: number | string, name: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (line) => void socket.end(`${name} ${line}`))
  })
  await new Promise<void>((resolve) => void server.listen(place, resolve))
  servers.push(server)
  return typeof place === 'string' ? 0 : (server.address() as AddressInfo).port
}

/** A port at which nothing listens. */
async function freePort(): Promise<number> {
  const port = await serve(0, 'nobody')
  await new Promise((resolve) => servers.pop()?.close(resolve))
  return port
}

const ask = (port: number) => `(exec 3<>/dev/tcp/127.0.0.1/${port}; echo hello >&3; timeout 20 cat <&3)`
const askSocket = (path: string) => `(echo hello | timeout 20 socat -t 20 - UNIX-CONNECT:${path})`

beforeAll(async () => {
  world = await openCommandsWorld({ findReach: () => reach })
  for (const folder of ['run', 'run/deep']) mkdirSync(world.place(folder), { recursive: true })
})
beforeEach(() => {
  reach = nothing
})
afterAll(async () => {
  for (const server of servers) server.close()
  await world[Symbol.asyncDispose]()
})

describe.skipIf(state !== 'on' || process.platform !== 'linux')('a command', () => {
  // Mutation: without `allowHalfOpen`, socat hears no answer. Without `reach` in what `execute` asks of `confine`, both say that nothing is there.
  it('reaches a granted port as localhost and a granted socket at its own path, alone and beside others', async () => {
    const port = await serve(0, 'port')
    const path = world.place('run/deep/granted.sock')
    await serve(path, 'socket')
    const line = `${ask(port)}; ${askSocket(path)}`
    expect((await world.run(line)).output).not.toMatch(/hello/)
    reach = { localPorts: [port], sockets: [path] }
    const { output, denied, changes } = await world.run(line)
    expect([output, denied, changes]).toEqual(['port hello\nsocket hello\n', [], []])
    await using network = await world.shell.openNetwork('shared')
    if (network === null) return
    const shared = await world.run(line, { network: 'shared' })
    expect([shared.output, network.ports()]).toEqual(['port hello\nsocket hello\n', []])
    // The next one may come before the way of the one before has ended. Mutation: do not wait for `over`, or leave out `reuseaddr`.
    for (let again = 0; again < 6; again += 1)
      expect((await world.run(ask(port), { network: 'shared' })).output).toBe('port hello\n')
    reach = nothing
    expect((await world.run(line, { network: 'shared' })).output).not.toMatch(/hello/)
  })

  // Mutation: when the way ends with the program that opened it, the second command hears nothing after the first ended.
  it('keeps a port that another program opened in their network after that one has ended', async () => {
    const port = await serve(0, 'port')
    reach = { localPorts: [port], sockets: [] }
    await using network = await world.shell.openNetwork('counted')
    if (network === null) return
    await using mount = await world.mounts.open({ owner: 'other', overlay: [], environment: [] }, noEnd)
    const [first, second] = [new AbortController(), Promise.withResolvers<RunningCommand>()]
    const started = Promise.withResolvers<void>()
    const execute = (command: string, more: Partial<ShellRequest>, signal: AbortSignal) =>
      world.shell.execute(
        { ...{ command, timeoutMs: 60_000, mount, network: 'counted' }, onOutput: () => undefined, ...more },
        signal,
      )
    const one = execute('echo started; exec sleep infinity', { onOutput: () => started.resolve() }, first.signal)
    await started.promise
    const two = execute(`read; ${ask(port)}`, { onStart: second.resolve }, noEnd)
    const running = await second.promise
    first.abort()
    await one.catch(() => undefined)
    running.write('go\n')
    expect((await two).output).toBe('port hello\n')
  })

  // Mutation: without `readReach`, the names are hosts for the proxy. Without `missedReach`, nothing is named.
  it('is said to have missed a port and a socket that are there, and reaches both where it is granted them by name', async () => {
    using server = await openForeignServer()
    const { port } = server
    const path = world.place('run/deep/offered.sock')
    await serve(path, 'socket')
    const named = [`localhost:${port}`, path]
    const complaint = `echo "connect ECONNREFUSED 127.0.0.1:${port}"; echo "connect ENOENT ${path}"`
    const missed = await world.run(`${complaint}; exit 3`)
    expect(missed.refusedHosts).toEqual(named)
    expect((await world.run(complaint)).refusedHosts).toEqual([])
    const reached = await world.run(`${ask(port)}; ${askSocket(path)}; ${complaint}; exit 3`, { hosts: named })
    expect([reached.output, reached.refusedHosts]).toEqual([expect.stringContaining('port hello\nsocket hello\n'), []])
  })

  it('is told what it was to reach and did not: a port and a socket that are not there, and one in its project', async () => {
    const port = await freePort()
    const [gone, own] = [world.place('run/gone.sock'), world.place('root/own.sock')]
    await serve(own, 'own')
    reach = { localPorts: [port], sockets: [gone, own, '/usr/lib/gone.sock'] }
    const { denied, changes } = await world.run(`${ask(port)}; ${askSocket(gone)}; ls ${own}`)
    expect([...denied].sort()).toEqual(
      [
        `${gone}, which is not there`,
        `${own}, which is in the project, of which commands see a view`,
        '/usr/lib/gone.sock, which is not there',
        `localhost:${port}, where nothing listens on this machine`,
      ].sort(),
    )
    expect(changes).toEqual([])
  })
  it('talks with the app where it may, and there is no way where it may not', async () => {
    const heard: string[] = []
    const onTalk = (talk: Talk) =>
      talk.listen((bytes) => {
        heard.push(String(Buffer.from(bytes)))
        talk.write(`${'y'.repeat(300_000)}\n`)
        talk.close()
      })
    const { output } = await world.run(`echo hello | $${talkVariable} | wc -c`, { onTalk })
    expect([output, heard]).toEqual(['300001\n', ['hello\n']])
    const without = await world.run(`ls /run/coppice-talk.sock; echo "[$${talkVariable}]"`)
    expect(without.output).toMatch(/No such file.*\n\[\]\n$/s)
  })

  // Mutation: with `reachFor(settings.read().reach, null)` in `openRunners` the project has nothing of what it was granted.
  it('has what the settings name for its project, and another project has nothing of it', async () => {
    const port = await serve(0, 'port')
    const [data, granted, other] = ['of-app', 'granted', 'other'].map((name) => world.place(name))
    for (const folder of [data, granted, other]) mkdirSync(String(folder))
    const sandbox = { local_ports: { [String(granted)]: [port] } }
    writeFileSync(join(String(data), 'settings.json'), JSON.stringify({ sandbox }))
    await using host = await openTestHost(String(data), undefined, {}, () => openSandbox([String(data)]))
    const outputs: string[] = []
    for (const folder of [granted, other]) {
      const { services } = await host.projects.open(String(folder))
      await using mount = await services.mounts.open({ owner: 'b', overlay: [], environment: [] }, noEnd)
      const request = { command: ask(port), timeoutMs: 60_000, mount, onOutput: () => undefined }
      outputs.push((await services.shell.execute(request, noEnd)).output)
    }
    expect(outputs).toEqual(['port hello\n', expect.not.stringContaining('hello')])
  })
})
