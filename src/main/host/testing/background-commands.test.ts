import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { never } from '#core/ports/branch-mounts.contract.ts'
import type { CommandNetwork, RunningCommand } from '#core/ports/shell.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type CommandsWorld, openCommandsWorld } from './commands-world.testkit.ts'

let world: CommandsWorld
beforeAll(async () => {
  world = await openCommandsWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

/** A command that stays, in a mount of its own and in the network of `branch`. */
async function stay(command: string, branch: string) {
  const mount = await world.mounts.open({ owner: `${branch} process`, overlay: [], temporaryOf: branch }, never)
  const output = { text: '' }
  const held = Promise.withResolvers<RunningCommand>()
  const onOutput = (text: string) => {
    output.text += text
  }
  const asked = {
    command,
    mount,
    network: branch,
    timeoutMs: Number.POSITIVE_INFINITY,
    onOutput,
    onStart: held.resolve,
  }
  const controller = new AbortController()
  const ended = world.shell.execute(asked, controller.signal)
  const running = await Promise.race([held.promise, ended.then(() => held.promise)])
  return {
    ...{ running, ended, output, mount },
    async [Symbol.asyncDispose]() {
      controller.abort()
      await ended.catch(() => undefined)
      await mount[Symbol.asyncDispose]()
    },
  }
}

async function openNetwork(name: string): Promise<CommandNetwork> {
  const network = await world.shell.openNetwork(name)
  if (!network) throw new Error('This machine cannot separate networks.')
  return network
}

const serverOf = (page: string) =>
  `node -e 'require("http").createServer((q, a) => a.end("${page} " + require("fs").readFileSync("src/a.txt"))).listen(3000, "127.0.0.1", () => console.log("listening"))'`

function get(url: string, host: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    // A browser knows that names below localhost are this machine. The resolver of a system may not.
    request(url, { hostname: '127.0.0.1', headers: { host } }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
      answer.on('end', () => resolve({ status: answer.statusCode, text }))
    })
      .on('error', reject)
      .end()
  })
}

describe('commands that stay', () => {
  it('serve each branch on the same port, and each preview shows its own', async ({ skip }) => {
    if (world.sandbox.state.state !== 'on') skip()
    await using first = await openNetwork('first')
    await using second = await openNetwork('second')
    await using one = await stay(serverOf('one'), 'first')
    await using two = await stay(serverOf('two'), 'second')
    for (const { output } of [one, two]) await expect.poll(() => output.text).toBe('listening\n')
    expect([first.ports(), second.ports()]).toEqual([[{ port: 3000, family: 'v4' }], [{ port: 3000, family: 'v4' }]])
    expect(await one.running.findPorts()).toEqual([3000])
    const [left, right] = [first.ports()[0], second.ports()[0]]
    if (!left || !right) throw new Error('no ports')
    const previews = [await first.openPreview(left), await second.openPreview(right)]
    const shown = await Promise.all(previews.map(({ url }) => get(url, new URL(url).host)))
    expect(shown.map(({ text }) => text)).toEqual(['one one\n', 'two one\n'])
    expect(await get(previews[0]?.url ?? '', 'evil.example')).toEqual({
      status: 403,
      text: 'A preview answers only to its own pages, at its own address.\n',
    })
    one.running.show([
      { kind: 'file', path: '/src/a.txt' as VirtualPath, bytes: Buffer.from('edited\n'), executable: false },
    ])
    const at = new URL(previews[0]?.url ?? '')
    await expect.poll(async () => (await get(at.href, at.host)).text).toBe('one edited\n')
    const { output } = await commandIn('first', 'curl -s http://localhost:3000 || exec 3<>/dev/tcp/127.0.0.1/3000')
    expect(output).toBe('one edited\n')
    expect((await one.mount.capture()).changes.map(({ path }) => path)).toEqual(['/src/a.txt'])
  })

  it('reach neither the machine nor another branch', async ({ skip }) => {
    if (world.sandbox.state.state !== 'on') skip()
    await using _first = await openNetwork('first')
    await using _second = await openNetwork('second')
    await using server = await stay(serverOf('one'), 'first')
    await expect.poll(() => server.output.text).toBe('listening\n')
    const before = world.hits()
    const attempt = (port: number) => `if (: < /dev/tcp/127.0.0.1/${port}) 2> /dev/null; then echo reached ${port}; fi`
    expect((await commandIn('first', attempt(3000))).output).toBe('reached 3000\n')
    expect((await commandIn('first', attempt(world.port))).output).toBe('')
    expect((await commandIn('second', `${attempt(3000)}; ${attempt(world.port)}`)).output).toBe('')
    expect(world.hits()).toBe(before)
  })

  it('share /tmp with the commands of their branch, sockets included, and with no other', async ({ skip }) => {
    if (world.sandbox.state.state !== 'on') skip()
    const found = 'ls /tmp/left /tmp/s 2> /dev/null || echo none'
    await using _network = await openNetwork('sharing')
    const listen = `require("net").createServer((socket) => socket.end("by socket")).listen("/tmp/s", () => console.log("listening"))`
    const ask = `node -e 'require("net").connect("/tmp/s").pipe(process.stdout).on("error", () => console.log("none"))' 2>&1; cat /tmp/left`
    {
      await using server = await stay(`echo left > /tmp/left; exec node -e '${listen}'`, 'sharing')
      await expect.poll(() => server.output.text).toContain('listening')
      const asked = await world.run(`${ask}; echo back > /tmp/back`, { owner: 'sharing' })
      expect(asked.output).toBe('by socketleft\n')
      expect((await world.run(found, { owner: 'other' })).output).toBe('none\n')
      expect((await world.run('cat /tmp/back', { owner: 'sharing' })).output).toBe('back\n')
    }
    expect((await world.run(found, { owner: 'sharing' })).output).toBe('none\n')
  })

  it('end with all that they started, and leave no mount', async () => {
    const process = await stay('trap "" TERM; (setsid sleep 1000 & setsid setsid sleep 1000 & echo $!; wait)', 'none')
    await expect.poll(() => process.output.text).toMatch(/\d+\n/)
    process.running.askToEnd()
    await process[Symbol.asyncDispose]()
    await expect.poll(() => world.survivors()).toEqual([])
  })
})

async function commandIn(network: string, command: string) {
  await using mount = await world.mounts.open({ owner: network, overlay: [] }, never)
  return await world.shell.execute({ command, mount, network, timeoutMs: 20_000, onOutput: () => undefined }, never)
}
